#include "testing/run_programs.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

#include "config/test_tree.h"
#include "schema/layout.h"
#include "schema/prepared_body.h"
#include "syntax/eval.h"

namespace tofu::testing {

namespace {

using value::Value;

// One provider configuration of the tested module that a test file gives.
struct Replacement {
  addrs::LocalProviderConfig name;  // in the tested module
  const config::ProviderConfig* block = nullptr;
  const config::MockProvider* mock = nullptr;  // one of the two is there
};

bool names_runs(const schema::PreparedBody& body) {
  return std::ranges::any_of(body.uses().variables, [](const syntax::Traversal* traversal) {
    return traversal->root == "run";
  });
}

}  // namespace

struct RunPrograms::ProgramRequest {
  std::vector<Replacement> replacements;
  std::set<const config::ProviderConfig*> given;  // those of them that are evaluated here
  config::ProviderInstances instances;
  bool replaces_symbols = false;  // with those that the test file imports

  // The cache key of a program.
  std::string key(const config::Tree& tree) const {
    std::string text = fmt::format("{}", fmt::ptr(&tree));
    for (const Replacement& each : replacements) {
      text += fmt::format(" {}={}", each.name.compact(),
                          each.mock != nullptr ? fmt::ptr(each.mock) : fmt::ptr(each.block));
      if (given.contains(each.block)) text += "!";
    }
    for (const auto& [name, keys] : instances) {
      for (const auto& [key, v] : keys) text += fmt::format(" {}[{:?}]", name, key);
    }
    return text;
  }
};

bool RunPrograms::add_providers(const config::TestFile& file, const config::TestRun& run,
                                const config::Tree&, ProgramRequest& request,
                                diag::Diagnostics& diags) const {
  if (run.providers.empty()) {
    for (const config::ProviderConfig& each : file.providers) {
      request.replacements.push_back({each.address(), &each, nullptr});
    }
    for (const config::MockProvider& each : file.mock_providers) {
      request.replacements.push_back({{each.name, each.alias}, nullptr, &each});
    }
    return true;
  }
  const std::size_t errors = diags.error_count();
  for (const config::PassedProvider& passed : run.providers) {
    const std::string name = passed.in_parent.to_string();
    const config::ProviderConfig* block = file.providers.find(name);
    const config::MockProvider* mock = block ? nullptr : file.mock_providers.find(name);
    if (block == nullptr && mock == nullptr) {
      diags.error("Missing provider definition")
          .detail(fmt::format("The test file has no provider {}.", name))
          .at(passed.in_parent.name_range);
      continue;
    }
    request.replacements.push_back({passed.in_child.address(), block, mock});
  }
  return diags.error_count() == errors;
}

// Evaluates what only test files can evaluate.
diag::Checked<void> RunPrograms::settle(const config::Tree& tree, const TestScope& scope,
                                        ProgramRequest& request, RunSubstitutes& substitutes,
                                        diag::Diagnostics& diags) const {
  const std::size_t errors = diags.error_count();
  for (const Replacement& each : request.replacements) {
    const addrs::Provider provider = tree.root().module->provider_for(each.name.local_name);
    const syntax::Expr* for_each =
        each.mock != nullptr ? each.mock->for_each : each.block->for_each;
    if (for_each != nullptr) {
      const auto over = syntax::evaluate(*for_each, &scope, diags);
      if (!over) continue;
      request.instances[each.name.compact()] = config::settle_instances(*for_each, *over, diags);
    }
    if (each.mock != nullptr) {
      substitutes.mock(provider, each.name.alias, *each.mock);
      continue;
    }
    const schema::ProviderSchema* schema = environment_.schemas.find(provider.to_string());
    if (schema == nullptr) continue;  // reported when the program is made
    // Shared, because it is evaluated on demand, perhaps never.
    struct Body {
      schema::Layouts layouts;
      schema::PreparedBody prepared;
      Body(const syntax::Body& body, const schema::Block& schema)
          : prepared(body, layouts.of(schema)) {}
    };
    const auto body = std::make_shared<const Body>(each.block->config, schema->provider);
    if (!names_runs(body->prepared)) continue;
    request.given.insert(each.block);
    substitutes.configure(provider, each.name.alias, [body, scope](diag::Diagnostics& found) {
      return body->prepared.evaluate(scope, found);
    });
  }
  return diags.error_count() == errors;
}

diag::Checked<const CompiledTree*> RunPrograms::find(
    const config::TestFile& file, const config::TestRun& run, const config::Tree& tree,
    const TestScope& scope, RunSubstitutes& substitutes, diag::Diagnostics& diags) {
  ProgramRequest request;
  if (!add_providers(file, run, tree, request, diags) ||
      !settle(tree, scope, request, substitutes, diags)) {
    return nullptr;
  }
  request.replaces_symbols = &tree == &environment_.tree && file.linked_symbols != nullptr;
  std::string key = request.key(tree);
  if (request.replaces_symbols) key += " symbols of " + file.name;
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = entries_.try_emplace(std::move(key));
  Entry& entry = place->second;
  if (is_new) {
    if (!request.replacements.empty() || request.replaces_symbols) {
      base::Named<config::ProviderConfig> all;
      for (const config::ProviderConfig& each : tree.root().provider_configs()) {
        all.put(each.key(), each);
      }
      for (const Replacement& each : request.replacements) {
        config::ProviderConfig made;
        if (each.block != nullptr) made = *each.block;
        if (each.mock != nullptr) made.range = each.mock->range;
        if (each.mock != nullptr) made.for_each = each.mock->for_each;
        made.is_given = each.mock != nullptr || request.given.contains(each.block);
        made.name = each.name.local_name;
        made.alias = each.name.alias;
        all.put(each.name.compact(), std::move(made));
      }
      entry.tree = std::make_unique<config::Tree>(
          config::with_providers(tree, std::move(all), request.instances,
                                 request.replaces_symbols ? file.linked_symbols : nullptr));
    }
    entry.compiled =
        environment_.compile(entry.tree == nullptr ? tree : *entry.tree, entry.problems);
  }
  for (const diag::Diagnostic& each : entry.problems.items()) diags.add(each);
  return entry.compiled ? &*entry.compiled : nullptr;
}

}  // namespace tofu::testing
