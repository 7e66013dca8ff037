#include "lint/lint.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include "lint/block_rules.h"
#include "lint/comments.h"
#include "lint/declarations.h"
#include "lint/expression_rules.h"
#include "lint/settings_rules.h"
#include "lint/usage.h"
#include "lint/walk.h"

namespace tofu::lint {

namespace {

// A module of the scope, with what its one walk found.
struct Linted {
  Linted(const config::TreeNode& node, const Selection& selection, const diag::SourceMap& sources)
      : module(*node.module),
        files(module_files(module, sources)),
        is_root(!node.parent),
        usage(module),
        findings(selection) {}

  const config::Module& module;
  std::vector<const syntax::File*> files;
  bool is_root;
  Usage usage;
  Findings findings;
};

class Run {
 public:
  Run(const Request& request, const OwnRules* own, const config::Tree& tree,
      const diag::SourceMap& sources, diag::Diagnostics& diags)
      : request_(request), own_(own), tree_(tree), sources_(sources), diags_(diags) {}

  std::vector<Finding> findings() {
    for (const config::TreeNode& node : tree_.nodes) {
      if (!is_in_scope(node) || by_module_.contains(node.module.get())) continue;
      modules_.emplace_back(node, request_.selection, sources_);
      by_module_.emplace(node.module.get(), &modules_.back());
      walk(modules_.back());
    }
    note_outputs();
    const std::set<addrs::Provider> used = used_providers(tree_);
    std::vector<Finding> all;
    for (Linted& linted : modules_) {
      check_declarations(linted.module, linted.usage, linted.findings);
      check_settings(linted.module, linted.is_root, linted.usage, used, linted.findings);
      if (!linted.is_root) outputs_.check(linted.module, linted.findings);
      finish(linted, all);
    }
    sort(all);
    return all;
  }

 private:
  bool is_in_scope(const config::TreeNode& node) const {
    return !node.parent || (request_.scope == Scope::Local && node.is_local);
  }

  void walk(Linted& linted) {
    ExpressionRules expressions(sources_, linted.findings);
    BlockRules blocks(linted.module, sources_, linted.findings);
    std::vector<Visitor*> visitors = {&linted.usage, &expressions, &blocks};
    std::optional<OwnRulesVisitor> own;
    if (own_ != nullptr) visitors.push_back(&own.emplace(*own_, linted.findings, diags_));
    lint::walk(linted.files, visitors);
  }

  void note_outputs() {
    for (const config::TreeNode& node : tree_.nodes) {
      if (!node.parent || !is_in_scope(node)) continue;
      const auto caller = by_module_.find(tree_.node(*node.parent).module.get());
      if (caller == by_module_.end()) continue;
      outputs_.note(*node.module, *node.call, caller->second->usage);
    }
  }

  void finish(Linted& linted, std::vector<Finding>& all) {
    Comments comments(linted.files, sources_, linted.findings);
    std::vector<Finding> found = linted.findings.take();
    comments.suppress(found);
    comments.report_unused(linted.findings);
    std::ranges::move(linted.findings.take(), std::back_inserter(found));
    for (Finding& finding : found) {
      finding.in = linted.module.block_around(finding.place);
      all.push_back(std::move(finding));
    }
  }

  void sort(std::vector<Finding>& all) const {
    std::ranges::stable_sort(all, {}, [&](const Finding& finding) {
      return std::tuple(sources_.name(finding.place.file), finding.place.begin, finding.place.end,
                        finding.rule->id);
    });
  }

  const Request& request_;
  const OwnRules* own_;  // null: none
  const config::Tree& tree_;
  const diag::SourceMap& sources_;
  diag::Diagnostics& diags_;
  std::deque<Linted> modules_;
  std::map<const config::Module*, Linted*> by_module_;
  OutputUse outputs_;
};

}  // namespace

std::vector<Finding> run(const Request& request, const config::Tree& tree,
                         const diag::SourceMap& sources) {
  diag::Diagnostics none;  // only rules of libraries fail
  return run(request, nullptr, tree, sources, none);
}

std::vector<Finding> run(const Request& request, const OwnRules* own, const config::Tree& tree,
                         const diag::SourceMap& sources, diag::Diagnostics& diags) {
  return Run(request, own, tree, sources, diags).findings();
}

void add_warnings(const Request& request, const config::Tree& tree, const diag::SourceMap& sources,
                  diag::Diagnostics& diags) {
  if (request.selection.empty()) return;
  for (const Finding& finding : run(request, tree, sources)) {
    diags.add(to_diagnostic(finding, Severities::AllWarnings));
  }
}

}  // namespace tofu::lint
