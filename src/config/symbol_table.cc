#include "config/symbol_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "symbols/symbol_names.h"

namespace tofu::config {

namespace {

using syntax::StepKind;
using value::Value;

std::vector<std::string_view> views_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

SymbolTable::SymbolTable(const Module& module, symbols::LibraryImports imports)
    : module_(module), imports_(std::move(imports)), elsewhere_(make_elsewhere()) {
  for (const symbols::LibraryImport& import : imports_) {
    if (import.library == nullptr) continue;
    for (const symbols::LibraryValue& each : import.library->values) {
      if (each.is_private) continue;
      value_names_.push_back(fmt::format("symbols.{}.{}", import.name, each.name));
    }
    for (const symbols::LibraryFunction& each : import.library->functions) {
      if (each.is_private) continue;
      function_names_.push_back(fmt::format("symbols::{}::{}", import.name, each.name));
    }
    for (const symbols::LibraryType& each : import.library->types) {
      if (each.is_private) continue;
      type_names_.push_back(fmt::format("symbols::{}::{}", import.name, each.name));
    }
  }
  std::ranges::sort(value_names_);
  std::ranges::sort(function_names_);
  std::ranges::sort(type_names_);
}

std::vector<std::string_view> SymbolTable::value_names() const { return views_of(value_names_); }
std::vector<std::string_view> SymbolTable::function_names() const {
  return views_of(function_names_);
}
std::vector<std::string_view> SymbolTable::type_names() const { return views_of(type_names_); }

std::optional<syntax::Scope::Resolved> SymbolTable::resolve(const addrs::Reference& reference,
                                                            const syntax::Traversal& traversal,
                                                            diag::Diagnostics& diags) const {
  const auto& block = std::get<addrs::FeatureBlock>(reference.subject);
  const symbols::LibraryImport* import = imports_.find(block.name);
  if (import == nullptr) {
    addrs::report_undefined_block(block.feature, traversal, module_, diags);
    return std::nullopt;
  }
  if (import->library == nullptr) {
    return syntax::Scope::Resolved{Value::unknown(), traversal.steps.size()};
  }
  return member(*import->library, traversal, diags);
}

std::optional<syntax::Scope::Resolved> SymbolTable::member(const symbols::Library& library,
                                                           const syntax::Traversal& traversal,
                                                           diag::Diagnostics& diags) const {
  if (traversal.steps.size() < 2 || traversal.steps[1].kind != StepKind::Attribute) {
    return syntax::Scope::Resolved{library.all_values(), 1};
  }
  const symbols::LibraryValue* found = library.values.find(traversal.steps[1].name);
  if (found != nullptr && found->is_private) {
    symbols::report_private("value", traversal.steps[0].name, found->name,
                            diag::cover(traversal.root_range, traversal.steps[1].range), diags);
    return std::nullopt;
  }
  if (found != nullptr) return syntax::Scope::Resolved{found->value, 2};
  report_missing_value(library, traversal, diags);
  return std::nullopt;
}

// The author may have meant a resource whose type is "symbols": the message has to
// show how the expression was read.
void SymbolTable::report_missing_value(const symbols::Library& library,
                                       const syntax::Traversal& traversal,
                                       diag::Diagnostics& diags) const {
  const std::string_view block = traversal.steps[0].name;
  const std::string_view name = traversal.steps[1].name;
  std::string detail = fmt::format("The symbol library {:?} has no value {:?}.", block, name);
  if (module_.has_managed_resource("symbols", block)) {
    detail += fmt::format(
        "\n\nThis was read as a reference to the symbols block named \"{0}\". Did you intend to "
        "refer to resource \"symbols\" \"{0}\"? If so, use the \"resource.\" prefix:\n    "
        "resource.{1}",
        block, addrs::to_text(traversal));
  } else if (library.functions.find(name) != nullptr) {
    detail += fmt::format(" The library has a function of that name: write symbols::{}::{}(…).",
                          block, name);
  } else if (library.types.find(name) != nullptr) {
    detail += fmt::format(
        " The library has a type of that name: write symbols::{}::{}() in a type.", block, name);
  } else {
    detail += symbols::suggestion(name, library.values);
  }
  diags.error("Reference to undefined symbol library value")
      .detail(std::move(detail))
      .at(diag::cover(traversal.root_range, traversal.steps[1].range));
}

const syntax::Function* SymbolTable::function(std::string_view name) const {
  if (!symbols::is_symbol_name(name)) return nullptr;
  diag::Diagnostics ignored;  // the stand-in reports when it is called
  const auto found = symbols::find_function({imports_}, name, {}, ignored);
  return found && *found != nullptr ? &(*found)->callable : &elsewhere_;
}

syntax::Function SymbolTable::make_elsewhere() const {
  syntax::Function function;
  function.variadic = syntax::Parameter{"arguments", value::Type::dynamic()};
  function.lazy = [this](const syntax::LazyCall& lazy,
                         diag::Diagnostics& diags) -> std::optional<Value> {
    const syntax::CallExpr& call = lazy.call();
    if (!symbols::find_function({imports_}, call.name, call.name_range, diags)) return std::nullopt;
    return Value::unknown();
  };
  return function;
}

bool SymbolTable::named_type(const syntax::CallExpr& call, syntax::TypeConstraint& out,
                             diag::Diagnostics& diags) const {
  if (!symbols::is_symbol_name(call.name)) return false;
  const auto found = symbols::find_type({imports_}, call, diags);
  if (found && *found != nullptr) out = (*found)->constraint;
  return true;
}

}  // namespace tofu::config
