#include "lint/usage.h"

#include <array>

namespace tofu::lint {

namespace {

// The name of the step after `index` steps; empty if it is none.
std::string_view step(const syntax::Traversal& traversal, std::size_t index) {
  if (index >= traversal.steps.size()) return {};
  const syntax::TraversalStep& step = traversal.steps[index];
  return step.kind == syntax::StepKind::Attribute ? step.name : std::string_view();
}

// The output of `module.m.output`, `module.m[0].output` or `module.m["k"].output`.
std::string_view output_of(const syntax::Traversal& traversal) {
  const bool has_key =
      traversal.steps.size() > 1 && traversal.steps[1].kind == syntax::StepKind::Index;
  return step(traversal, has_key ? 2 : 1);
}

std::string joined(std::string_view a, std::string_view b) {
  std::string text(a);
  text += '.';
  text += b;
  return text;
}

}  // namespace

std::string referenced_name(const syntax::Traversal& traversal) {
  constexpr std::array<std::string_view, 6> kNoDeclaration = {"each", "count",     "self",
                                                              "path", "terraform", "tofu"};
  for (const std::string_view root : kNoDeclaration) {
    if (traversal.root == root) return {};
  }
  const std::string_view first = step(traversal, 0);
  if (first.empty()) return {};
  if (traversal.root == "resource") return joined(first, step(traversal, 1));
  const bool has_three = traversal.root == "data" || traversal.root == "ephemeral";
  std::string name = joined(traversal.root, first);
  return has_three ? joined(name, step(traversal, 1)) : name;
}

Usage::Usage(const config::Module& module) {
  for (const auto mode :
       {addrs::ResourceMode::Managed, addrs::ResourceMode::Data, addrs::ResourceMode::Ephemeral}) {
    for (const config::Resource& resource : module.resources(mode)) {
      add(resource.depends_on);
      if (resource.provider != nullptr) objects_.insert(resource.provider->to_string());
    }
  }
  for (const config::Output& output : module.outputs) add(output.depends_on);
  for (const config::ModuleCall& call : module.module_calls) {
    add(call.depends_on);
    for (const config::PassedProvider& passed : call.providers) {
      objects_.insert(passed.in_parent.to_string());
    }
  }
  for (const config::Import& import : module.imports) {
    if (import.provider) objects_.insert(import.provider->to_string());
  }
  walk_quoted(module, *this);
}

void Usage::add(const std::vector<syntax::Traversal>& traversals) {
  for (const syntax::Traversal& each : traversals) traversal(each, nullptr);
}

void Usage::expression(const syntax::Expr& expr, const Site& site) {
  if (const auto* variable = syntax::as_if<syntax::VariableExpr>(expr)) {
    traversal(variable->traversal, site.top);
  } else if (const auto* call = syntax::as_if<syntax::CallExpr>(expr)) {
    this->call(call->name);
  } else if (const auto* json = syntax::as_if<syntax::JsonStringExpr>(expr)) {
    // Where a reference has to be, as in "provider", the string is one.
    if (json->traversal != nullptr) traversal(*json->traversal, nullptr);
    if (json->call != nullptr) this->call(json->call->name);
  }
}

void Usage::traversal(const syntax::Traversal& traversal, const syntax::NativeBlock* top) {
  const std::string_view name = step(traversal, 0);
  if (name.empty()) return;
  if (traversal.root == "var") {
    const bool is_own = top != nullptr && top->type == "variable" && !top->labels.empty() &&
                        top->labels[0].text == name;
    if (!is_own) variables_.insert(name);
  } else if (traversal.root == "local") {
    locals_.insert(name);
  } else if (traversal.root == "symbols") {
    symbols_.insert(name);
    objects_.insert(referenced_name(traversal));
  } else if (traversal.root == "module") {
    const std::string_view output = output_of(traversal);
    if (output.empty()) {
      whole_modules_.emplace(name);
    } else {
      outputs_.insert(joined(name, output));
    }
  } else {
    objects_.insert(referenced_name(traversal));
  }
}

void Usage::call(std::string_view name) {
  constexpr std::string_view kSymbols = "symbols::";
  constexpr std::string_view kProvider = "provider::";
  if (name.starts_with("core::")) name.remove_prefix(6);
  // Templates call functions of libraries, and their text is not known here.
  if (name == "templatefile" || name == "templatestring") renders_templates_ = true;
  const bool is_symbol = name.starts_with(kSymbols);
  if (!is_symbol && !name.starts_with(kProvider)) return;
  name.remove_prefix(is_symbol ? kSymbols.size() : kProvider.size());
  name = name.substr(0, name.find("::"));
  (is_symbol ? symbols_ : provider_functions_).insert(name);
}

bool Usage::output(std::string_view call, std::string_view output) const {
  return whole_modules_.contains(call) || outputs_.contains(joined(call, output));
}

}  // namespace tofu::lint
