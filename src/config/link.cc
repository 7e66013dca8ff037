#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "config/tree.h"
#include "config/variable_types.h"
#include "value/convert.h"

namespace tofu::config {

namespace {

using value::Value;

// Works through modules breadth first; the list of nodes is the whole state.
class Linker {
 public:
  Linker(ModuleFinder& finder, const StaticInputs& inputs, diag::SourceMap& sources,
         diag::Diagnostics& diags)
      : finder_(finder), inputs_(inputs), sources_(sources), diags_(diags) {}

  Tree link(ParsedFiles root);

 private:
  void add_node(TreeNode node, ParsedFiles files, StaticEvaluator::Given given);
  void link_calls(ModuleId parent);
  void link_call(ModuleId parent, const ModuleCall& call);
  void check_child(const TreeNode& node);

  // Nothing if and only if an error was added, except that a call without a
  // source (reported when it was declared) gives nothing too.
  std::optional<addrs::ModuleSource> source_of(const TreeNode& parent, const ModuleCall& call,
                                               bool has_version);
  // False if an error was added. No constraints if there are none.
  bool version_of(const TreeNode& parent, const ModuleCall& call, std::optional<Constraints>& out);

  ModuleFinder& finder_;
  const StaticInputs& inputs_;
  diag::SourceMap& sources_;
  diag::Diagnostics& diags_;
  Tree tree_;
};

Tree Linker::link(ParsedFiles root) {
  add_node({}, std::move(root), inputs_.root_variables);
  for (std::uint32_t next = 0; next < tree_.nodes.size(); ++next) link_calls(ModuleId{next});
  return std::move(tree_);
}

void Linker::add_node(TreeNode node, ParsedFiles files, StaticEvaluator::Given given) {
  node.module = declare_module(std::move(files), sources_, diags_);
  resolve_variable_types(*node.module, {}, diags_);
  node.statics =
      std::make_unique<StaticEvaluator>(*node.module, node.path, std::move(given), inputs_.facts);
  tree_.nodes.push_back(std::move(node));
}

void Linker::link_calls(ModuleId parent) {
  // By name, so that what is reported does not depend on the order of files.
  std::vector<const ModuleCall*> calls;
  for (const ModuleCall& call : tree_.node(parent).module->module_calls) calls.push_back(&call);
  std::ranges::sort(calls, {}, &ModuleCall::name);
  for (const ModuleCall* call : calls) link_call(parent, *call);
}

std::string asking_name(const ModuleCall& call, std::string_view argument) {
  return fmt::format("module.{}.{}", call.name, argument);
}

bool Linker::version_of(const TreeNode& parent, const ModuleCall& call,
                        std::optional<Constraints>& out) {
  if (call.version == nullptr) return true;
  const auto v = parent.statics->evaluate_plain(*call.version, asking_name(call, "version"),
                                                call.version->range, diags_);
  if (!v) return false;
  if (v->is_null()) return true;
  const auto text = value::convert(*v, value::Type::string());
  if (!text) {
    diags_.error("Invalid version constraint")
        .detail("A string such as \">= 1.2.0\" is required.")
        .at(call.version->range);
    return false;
  }
  auto constraints = Constraints::parse(text->as_string());
  if (!constraints) {
    diags_.error("Invalid version constraint")
        .detail(fmt::format("{}. Write constraints as in \">= 1.2.0, < 2.0.0\".",
                            constraints.error().what))
        .at(call.version->range);
    return false;
  }
  out = std::move(*constraints);
  return true;
}

std::optional<addrs::ModuleSource> Linker::source_of(const TreeNode& parent, const ModuleCall& call,
                                                     bool has_version) {
  if (call.source == nullptr) return std::nullopt;
  const auto v = parent.statics->evaluate_plain(*call.source, asking_name(call, "source"),
                                                call.source->range, diags_);
  if (!v) return std::nullopt;
  const auto text = value::convert(*v, value::Type::string());
  const auto refuse = [&](std::string detail) {
    diags_.error("Invalid module source address").detail(std::move(detail)).at(call.source->range);
    return std::nullopt;
  };
  if (!text || text->is_null()) return refuse("The source of a module is a string.");
  if (has_version) {
    auto registry = addrs::parse_registry_source(text->as_string());
    if (registry) return std::move(*registry);
    return refuse(
        fmt::format("{}. A registry address is needed here, because only registry modules "
                    "have versions.",
                    registry.error().what));
  }
  auto source = addrs::parse_module_source(text->as_string());
  if (source) return std::move(*source);
  return refuse(fmt::format("{}. A path on this disk begins with ./ or ../.", source.error().what));
}

// Arguments of a call, by name, for the child's static evaluation.
StaticEvaluator::Given given_by_call(const StaticEvaluator* parent, const ModuleCall* call) {
  return
      [parent, call](const Variable& variable, diag::Diagnostics& diags) -> std::optional<Value> {
        diag::Diagnostics ignored;  // whoever decodes the call reports them
        for (const syntax::Attribute& argument : call->config.just_attributes(ignored)) {
          if (argument.name != variable.name) continue;
          return parent->evaluate(*argument.expr,
                                  fmt::format("module.{}.{}", call->name, variable.name),
                                  argument.range, diags);
        }
        if (variable.default_value) return variable.default_value;
        diags.error("Missing required argument")
            .detail(fmt::format("The module needs a value for {:?}.", variable.name))
            .at(call->config.missing_item_range());
        return std::nullopt;
      };
}

void Linker::link_call(ModuleId parent, const ModuleCall& call) {
  std::optional<Constraints> version;
  const bool version_ok = version_of(tree_.node(parent), call, version);
  const auto source = source_of(tree_.node(parent), call, version.has_value());
  if (!source || !version_ok) return;

  const TreeNode& above = tree_.node(parent);
  ModuleRequest request{above.path.child(call.name), *source,    version,
                        above.module->directory,     call.range, call.source->range};
  auto found = finder_.find(request, diags_);
  if (!found) return;

  TreeNode node;
  node.path = request.path;
  node.parent = parent;
  node.call = &call;
  node.source = *source;
  node.version = std::move(found->version);
  node.is_local = above.is_local && std::holds_alternative<addrs::LocalSource>(*source);
  auto given = given_by_call(above.statics.get(), &call);
  const ModuleId id{static_cast<std::uint32_t>(tree_.nodes.size())};
  add_node(std::move(node), std::move(found->files), std::move(given));
  tree_.nodes[parent.index].children.emplace(call.name, id);
  check_child(tree_.nodes[id.index]);
}

// What only a root module may have.
void Linker::check_child(const TreeNode& node) {
  if (node.module->backend) {
    diags_.warning("Backend configuration ignored")
        .detail(
            "State is kept for the configuration as a whole, so only the root module's backend "
            "counts. Remove this one.")
        .at(node.module->backend->range);
  }
  if (!node.module->imports.empty()) {
    diags_.error("Import block in a child module")
        .detail(fmt::format("Import blocks belong into the root module; this one is in {}.",
                            node.path.to_string()))
        .at(node.module->imports[0].range);
  }
}

}  // namespace

Tree link_modules(ParsedFiles root, ModuleFinder& finder, const StaticInputs& inputs,
                  diag::SourceMap& sources, diag::Diagnostics& diags) {
  return Linker(finder, inputs, sources, diags).link(std::move(root));
}

}  // namespace tofu::config
