#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "config/module_loader.h"
#include "config/provider_checks.h"
#include "config/test_providers.h"
#include "config/tree.h"
#include "syntax/analysis.h"

namespace tofu::config {

namespace {

using value::Value;

// Deeper than anybody nests modules, and far from any limit of ours.
constexpr std::size_t kMaxModuleDepth = 250;

// Links one tree: the configuration itself, or one that a test is about.
class Linker {
 public:
  Linker(ModuleLoader& loader, ModuleFinder& finder, const StaticInputs& inputs,
         addrs::ModulePath above, diag::Diagnostics& diags)
      : loader_(loader),
        finder_(finder),
        inputs_(inputs),
        above_(std::move(above)),
        diags_(diags) {}

  // The root of the tree. Where it is called from, if a test calls it.
  void add_root(LoadedModule loaded, const FoundModule& found, StaticEvaluator::Given given,
                std::optional<diag::SourceRange> call);
  void link_below_root();
  Tree take() { return std::move(tree_); }
  Tree& tree() { return tree_; }

 private:
  struct Pending {
    ModuleId parent;
    SettledCall call;
  };

  void add_node(TreeNode node, LoadedModule loaded, StaticEvaluator::Given given,
                std::optional<diag::SourceRange> call);
  void expect_calls(std::size_t first);
  void link_call(const Pending& pending);
  ModuleRequest request_for(const TreeNode& parent, const SettledCall& settled) const;
  bool check_call_depth(ModuleId parent, const ModuleCall& call, const FoundModule& found);
  void check_child(const TreeNode& node);

  ModuleLoader& loader_;
  ModuleFinder& finder_;
  const StaticInputs& inputs_;
  addrs::ModulePath above_;  // before all paths of this tree, where modules are looked for
  diag::Diagnostics& diags_;
  Tree tree_;
  std::vector<Pending> pending_;  // a stack: a module's calls come before its siblings'
  bool never_ends_ = false;
};

void Linker::add_root(LoadedModule loaded, const FoundModule& found, StaticEvaluator::Given given,
                      std::optional<diag::SourceRange> call) {
  TreeNode node;
  node.directory = found.directory;
  node.files = found.files();
  add_node(std::move(node), std::move(loaded), std::move(given), call);
  if (call) check_child(tree_.nodes[0]);
}

void Linker::link_below_root() {
  expect_calls(0);
  while (!pending_.empty() && !never_ends_) {
    const Pending next = std::move(pending_.back());
    pending_.pop_back();
    link_call(next);
  }
}

void Linker::add_node(TreeNode node, LoadedModule loaded, StaticEvaluator::Given given,
                      std::optional<diag::SourceRange> call) {
  const std::size_t before = diags_.size();
  const Module& module = *loaded.module;
  node.module = std::move(loaded.module);
  node.symbols = std::move(loaded.symbols);
  const std::string& root = tree_.nodes.empty() ? node.directory : tree_.root().directory;
  node.statics = std::make_unique<StaticEvaluator>(
      module, ModuleNames::Place{node.path, node.directory, root}, std::move(given), inputs_.facts,
      *inputs_.functions, node.symbols.get());
  const NeedsLeftOut needs_left_out(module, std::move(loaded.left_out));
  std::vector<SettledCall> calls = settle_calls(*node.statics, needs_left_out, diags_);
  node.provider_instances = settle_provider_instances(*node.statics, needs_left_out, diags_);
  check_constant_variables(*node.statics, needs_left_out, call, diags_);
  module.name_blocks(diags_.items_from(before));

  const ModuleId id{static_cast<std::uint32_t>(tree_.nodes.size())};
  node.id = id;
  tree_.nodes.push_back(std::move(node));
  for (auto settled = calls.rbegin(); settled != calls.rend(); ++settled) {
    pending_.push_back({id, std::move(*settled)});
  }
}

// Says which of the pending calls, from `first` on, will be looked for.
void Linker::expect_calls(std::size_t first) {
  for (std::size_t i = pending_.size(); i > first; --i) {
    finder_.expect(request_for(tree_.node(pending_[i - 1].parent), pending_[i - 1].call));
  }
}

// Arguments of a call, by name, for the child's static evaluation.
StaticEvaluator::Given given_by_call(StaticEvaluator* parent, const ModuleCall* call) {
  return [parent, call](const Variable& variable,
                        diag::Diagnostics& diags) -> std::optional<Value> {
    diag::Diagnostics ignored;  // decoding the call reports them
    for (const syntax::Attribute& argument : call->config.just_attributes(ignored)) {
      if (argument.name != variable.name) continue;
      return parent->evaluate(*argument.expr,
                              fmt::format("module.{}.{}", call->name, variable.name),
                              argument.range, diags);
    }
    if (variable.default_value) return variable.default_value;
    diags.error("Missing required argument")
        .detail(fmt::format("The module requires the argument {:?}, but this call does not set it.",
                            variable.name))
        .at(call->config.missing_item_range());
    return std::nullopt;
  };
}

ModuleRequest Linker::request_for(const TreeNode& parent, const SettledCall& settled) const {
  const ModuleCall& call = *settled.call;
  ModuleRequest request;
  request.path = above_;
  for (const std::string& name : parent.path.names) request.path.names.push_back(name);
  request.path.names.push_back(call.name);
  request.source = settled.source;
  request.version = settled.version;
  request.parent_directory = parent.directory;
  request.is_local = parent.is_local && settled.source &&
                     std::holds_alternative<addrs::LocalSource>(*settled.source);
  request.repeats = call.repetition.count != nullptr || call.repetition.for_each != nullptr;
  request.call_range = call.range;
  request.source_range = call.source != nullptr ? call.source->range : call.range;
  return request;
}

void Linker::link_call(const Pending& pending) {
  const ModuleCall& call = *pending.call.call;
  const TreeNode& above = tree_.node(pending.parent);
  const ModuleRequest request = request_for(above, pending.call);
  const std::size_t before = diags_.size();
  const auto found = finder_.find(request, diags_);
  const bool goes_on = found && check_call_depth(pending.parent, call, *found);
  LoadedModule loaded;
  if (goes_on) loaded = loader_.load(request, *found, diags_);
  above.module->name_blocks(diags_.items_from(before));  // what is wrong with the call itself
  if (!loaded.module) return;

  TreeNode node;
  node.path = above.path.child(call.name);
  node.parent = pending.parent;
  node.call = &call;
  node.source = pending.call.source;
  node.version = found->version;
  node.directory = found->directory;
  node.files = found->files();
  node.is_local = request.is_local;
  auto given = given_by_call(above.statics.get(), &call);
  const ModuleId id{static_cast<std::uint32_t>(tree_.nodes.size())};
  const std::size_t waiting = pending_.size();
  add_node(std::move(node), std::move(loaded), std::move(given), call.range);
  expect_calls(waiting);
  tree_.nodes[pending.parent.index].children.emplace(call.name, id);
  check_child(tree_.nodes[id.index]);
}

bool is_constant(const ModuleCall& call) {
  return call.source == nullptr || syntax::variables(*call.source).empty();
}

// Whether the modules below `call`, which leads to `found`, can come to an end.
// A source that depends on variables may lead elsewhere next time; one that does
// not leads back here for ever.
bool Linker::check_call_depth(ModuleId parent, const ModuleCall& call, const FoundModule& found) {
  const TreeNode* node = &tree_.node(parent);
  std::string chain = "module." + call.name;
  bool constant = is_constant(call);
  const std::size_t depth = node->path.names.size() + 1;
  while (constant && node->files != found.files() && node->parent) {
    chain = "module." + node->call->name + " calls " + chain;
    constant = is_constant(*node->call);
    node = &tree_.node(*node->parent);
  }
  const bool leads_back = constant && node->files == found.files();
  if (!leads_back && depth <= kMaxModuleDepth) return true;
  diags_.error("Module cycle")
      .detail(leads_back
                  ? fmt::format("The source of module.{} leads back to {}, which contains this "
                                "call: {}. A module cannot call itself.",
                                call.name, node->directory, chain)
                  : fmt::format(
                        "module.{} is nested {} modules deep. Most likely, a module calls itself.",
                        call.name, depth))
      .at(call.range);
  if (!leads_back) never_ends_ = true;
  return false;
}

// Contents that only a root module may have.
void Linker::check_child(const TreeNode& node) {
  const std::size_t before = diags_.size();
  if (node.module->backend) {
    diags_.warning("Backend configuration ignored")
        .detail("Only the backend of the root module is used. Remove this block.")
        .at(node.module->backend->range);
  }
  if (!node.module->imports.empty()) {
    diags_.error("Invalid import configuration")
        .detail(fmt::format("Import blocks are allowed only in the root module, and this one is in "
                            "{}. Move it to the root module.",
                            node.path.to_string()))
        .at(node.module->imports[0].range);
  }
  node.module->name_blocks(diags_.items_from(before));
}

// Modules of tests have paths of their own: test.tests.main.setup for the run
// "setup" of tests/main.tftest.hcl.
addrs::ModulePath path_of_run(const TestFile& file, const TestRun& run) {
  constexpr std::string_view kSuffix = ".tftest.hcl";
  addrs::ModulePath path{{"test"}};
  std::string_view rest = file.name;
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos;
       slash = rest.find('/')) {
    path.names.emplace_back(rest.substr(0, slash));
    rest.remove_prefix(slash + 1);
  }
  if (rest.ends_with(kSuffix)) rest.remove_suffix(kSuffix.size());
  path.names.emplace_back(rest);
  path.names.push_back(run.name);
  return path;
}

// The values of a run for the variables of its module; unknown if nothing.
StaticEvaluator::Given given_by_run(StaticEvaluator* root, const TestRun* run) {
  return [root, run](const Variable& variable, diag::Diagnostics& diags) -> std::optional<Value> {
    const auto given = std::ranges::find(run->variables, variable.name, &TestVariable::name);
    if (given != run->variables.end()) {
      return root->evaluate(*given->expr, fmt::format("var.{}", variable.name), given->range,
                            diags);
    }
    return variable.default_value.value_or(Value::unknown());
  };
}

class TreeLinker {
 public:
  TreeLinker(ModuleFinder& finder, const StaticInputs& inputs, diag::SourceMap& sources,
             diag::Diagnostics& diags)
      : finder_(finder),
        inputs_(inputs),
        sources_(sources),
        diags_(diags),
        loader_(finder, inputs, sources) {}

  Tree link(ParsedFiles root);

 private:
  void link_everything(Linker& linker, diag::Diagnostics& diags);
  void link_run(const TestFile& file, const TestRun& run, Tree& tree, TestTree& out,
                diag::Diagnostics& diags);

  ModuleFinder& finder_;
  const StaticInputs& inputs_;
  const diag::SourceMap& sources_;
  diag::Diagnostics& diags_;
  ModuleLoader loader_;
};

Tree TreeLinker::link(ParsedFiles root) {
  std::vector<TestFile> tests;
  LoadedModule loaded = loader_.load_root(std::move(root), tests, diags_);
  // If the root module is made for another version, only the versions that the modules below
  // it need are reported, and in the mode that follows OpenTofu not even those.
  diag::Diagnostics ignored;
  const bool unfit = loader_.has_version_errors();
  diag::Diagnostics& said = unfit ? ignored : diags_;
  Linker linker(loader_, finder_, inputs_, {}, said);
  linker.tree().tests = std::move(tests);
  const FoundModule found{loaded.module->directory};
  linker.add_root(std::move(loaded), found, inputs_.root_variables, std::nullopt);
  const bool go_on = unfit ? inputs_.version_check != VersionCheck::TofuOnly : !said.has_errors();
  if (go_on) link_everything(linker, said);
  diags_.take(loader_.take_version_errors());
  Tree tree = linker.take();
  tree.equivalent_versions = loader_.take_equivalent();
  tree.libraries = loader_.take_libraries();
  if (inputs_.settings_only) return tree;
  if (!diags_.has_errors()) {
    check_providers(tree, sources_, diags_);
    check_test_providers(tree, sources_, diags_);
  }
  if (!diags_.has_errors()) check_provider_needs(tree, diags_);
  return tree;
}

void TreeLinker::link_everything(Linker& linker, diag::Diagnostics& diags) {
  linker.link_below_root();
  Tree& tree = linker.tree();
  for (std::size_t i = 0; i < tree.tests.size(); ++i) {
    TestFile& file = tree.tests[i];
    if (!file.symbols.empty()) {
      const Module& tested = *tree.root().module;
      const std::size_t before = diags.size();
      file.linked_symbols = loader_.load_for_tests(tested, file, diags);
      tested.name_blocks(diags.items_from(before));
    }
    for (std::size_t j = 0; j < file.runs.size(); ++j) {
      if (!file.runs[j].module) continue;
      TestTree linked{i, j, nullptr};
      link_run(file, file.runs[j], tree, linked, diags);
      if (linked.tree) tree.test_trees.push_back(std::move(linked));
    }
  }
}

void TreeLinker::link_run(const TestFile& file, const TestRun& run, Tree& tree, TestTree& out,
                          diag::Diagnostics& diags) {
  const TreeNode& root = tree.root();
  const ModuleRequest request{.path = path_of_run(file, run),
                              .source = run.module->source,
                              .version = run.module->version,
                              .parent_directory = root.directory,
                              .call_range = run.module->range,
                              .source_range = run.module->source_range};
  const auto found = finder_.find(request, diags);
  if (!found) return;
  LoadedModule loaded = loader_.load(request, *found, diags);
  if (!loaded.module) return;
  Linker linker(loader_, finder_, inputs_, request.path, diags);
  linker.add_root(std::move(loaded), *found, given_by_run(root.statics.get(), &run),
                  run.module->range);
  linker.link_below_root();
  out.tree = std::make_unique<Tree>(linker.take());
}

}  // namespace

Tree::Tree() = default;
Tree::Tree(Tree&& other) noexcept = default;
Tree& Tree::operator=(Tree&& other) noexcept = default;
Tree::~Tree() = default;

void Tree::keep_literals_forever() const {
  if (libraries) libraries->keep_literals_forever();
  for (const TreeNode& node : nodes) node.module->keep_literals_forever();
  for (const TestTree& other : test_trees) {
    if (other.tree) other.tree->keep_literals_forever();
  }
}

Tree link_modules(ParsedFiles root, ModuleFinder& finder, const StaticInputs& inputs,
                  diag::SourceMap& sources, diag::Diagnostics& diags) {
  return TreeLinker(finder, inputs, sources, diags).link(std::move(root));
}

}  // namespace tofu::config
