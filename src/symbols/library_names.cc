#include "symbols/library_names.h"

#include <fmt/format.h>
#include <utility>

#include "addrs/reference.h"
#include "base/overloaded.h"
#include "base/suggest.h"
#include "symbols/symbol_names.h"

namespace tofu::symbols {

namespace {

using syntax::StepKind;
using syntax::Traversal;
using value::Value;

std::nullopt_t invalid(diag::SourceRange place, std::string detail, diag::Diagnostics& diags) {
  diags.error("Invalid reference").detail(std::move(detail)).at(place);
  return std::nullopt;
}

// The name after the root; nothing if an error was added.
std::optional<std::string_view> name_after_root(const Traversal& traversal,
                                                diag::Diagnostics& diags) {
  if (!traversal.steps.empty() && traversal.steps[0].kind == StepKind::Attribute) {
    return traversal.steps[0].name;
  }
  return invalid(traversal.range,
                 fmt::format("Expected a dot and a name after {:?}.", traversal.root), diags);
}

diag::SourceRange first_two(const Traversal& traversal) {
  return diag::cover(traversal.root_range, traversal.steps[0].range);
}

std::optional<BoundName> bind_value(const Traversal& traversal, const Library& library,
                                    diag::Diagnostics& diags) {
  const auto name = name_after_root(traversal, diags);
  if (!name) return std::nullopt;
  if (const LibraryValue* found = library.values.find(*name)) return BoundName{OwnValue{found}, 1};
  return invalid(first_two(traversal),
                 fmt::format("This library has no value {:?}.{}", *name,
                             suggestion(*name, library.values, true)),
                 diags);
}

std::optional<BoundName> bind_parameter(const Traversal& traversal, const LibraryContext& place,
                                        diag::Diagnostics& diags) {
  const auto name = name_after_root(traversal, diags);
  if (!name) return std::nullopt;
  if (place.function == nullptr) {
    return invalid(first_two(traversal), "Only functions have parameters.", diags);
  }
  const LibraryParameter* found = place.function->parameter(*name);
  if (found != nullptr) return BoundName{found, 1};
  return invalid(first_two(traversal),
                 fmt::format("The function {:?} has no parameter {:?}.{}", place.function->name,
                             *name, suggestion(*name, place.function->parameters)),
                 diags);
}

std::optional<BoundName> bind_local(const Traversal& traversal, const LibraryContext& place,
                                    diag::Diagnostics& diags) {
  const auto name = name_after_root(traversal, diags);
  if (!name) return std::nullopt;
  const diag::SourceRange at = first_two(traversal);
  switch (place.part) {
    case LibraryPart::Outside:
    case LibraryPart::TypeRule:
      return invalid(
          at, "Only functions have local values. For a value of the library, write value.NAME.",
          diags);
    case LibraryPart::Validation:
      return invalid(at,
                     "Parameters are validated before local values are computed, so only param.* "
                     "is available here.",
                     diags);
    case LibraryPart::Impl: break;
  }
  if (const LibraryLocal* found = place.function->locals.find(*name)) return BoundName{found, 1};
  return invalid(at,
                 fmt::format("The function {:?} has no local value {:?}.{}", place.function->name,
                             *name, suggestion(*name, place.function->locals)),
                 diags);
}

std::optional<BoundName> bind_import(const Traversal& traversal, const Library& library,
                                     diag::Diagnostics& diags) {
  const auto name = name_after_root(traversal, diags);
  if (!name) return std::nullopt;
  const LibraryImport* import = library.imports.find(*name);
  if (import == nullptr) {
    if (library.values.find(*name) != nullptr) {
      return invalid(first_two(traversal),
                     fmt::format("For a value of this library, write value.{}.", *name), diags);
    }
    report_missing_import({library.imports, &library}, *name, first_two(traversal), diags);
    return std::nullopt;
  }
  if (import->library == nullptr) return BoundName{Unloaded{}, traversal.steps.size()};
  if (traversal.steps.size() < 2 || traversal.steps[1].kind != StepKind::Attribute) {
    return BoundName{WholeLibrary{import->library}, 1};
  }
  const std::string_view member = traversal.steps[1].name;
  const LibraryValue* found = import->library->values.find(member);
  const diag::SourceRange at = diag::cover(traversal.root_range, traversal.steps[1].range);
  if (found != nullptr && found->is_private) {
    report_private("value", *name, member, at, diags);
    return std::nullopt;
  }
  if (found != nullptr) return BoundName{ImportedValue{found}, 2};
  return invalid(at,
                 fmt::format("The library {:?} has no value {:?}.{}", *name, member,
                             suggestion(member, import->library->values)),
                 diags);
}

std::optional<BoundName> bind_self(const Traversal& traversal, const LibraryContext& place,
                                   diag::Diagnostics& diags) {
  if (place.part == LibraryPart::TypeRule) return BoundName{SelfValue{}, 0};
  return invalid(traversal.root_range,
                 "\"self\" is the value that the validation of a typedef checks. It is not "
                 "available anywhere else.",
                 diags);
}

// How many arguments a call can have.
struct Arity {
  std::size_t least = 0;
  std::size_t most = 0;  // without those of a variadic parameter
  bool variadic = false;
};

// Whether the number of arguments fits; otherwise reports it.
bool check_count(const syntax::CallExpr& call, const Arity& wanted, diag::Diagnostics& diags) {
  const std::size_t given = call.arguments.size();
  if (call.expand_final) return true;  // known only when it is called
  const bool too_few = given < wanted.least;
  if (!too_few && (given <= wanted.most || wanted.variadic)) return true;
  const std::size_t count = too_few ? wanted.least : wanted.most;
  std::string_view bound;
  if (too_few && (wanted.variadic || wanted.least != wanted.most)) bound = "at least ";
  if (!too_few && wanted.least != wanted.most) bound = "at most ";
  diags.error(too_few ? "Not enough function arguments" : "Too many function arguments")
      .detail(fmt::format("The function {} expects {}{} argument{}, but {} given.", call.name,
                          bound, count, count == 1 ? "" : "s",
                          given == 1 ? "1 is" : fmt::format("{} are", given)))
      .at(too_few ? call.close_range : call.arguments[count]->range)
      .within(call.range);
  return false;
}

std::optional<BoundCall> bind_builtin(const syntax::CallExpr& call, const functions::Table& builtin,
                                      diag::Diagnostics& diags) {
  if (const syntax::Function* found = builtin.find(call.name)) {
    const std::size_t count = found->parameters.size();
    const bool fits =
        found->lazy || check_count(call, {count, count, found->variadic.has_value()}, diags);
    if (!fits) return std::nullopt;
    return BoundCall{nullptr, found};
  }
  if (functions::depends_on_outside(call.name)) {
    diags.error("Function not allowed in a symbol library")
        .detail(fmt::format("The results of a library depend only on arguments, so it cannot use "
                            "{}. Pass the result of {} as an argument instead.",
                            call.name, call.name))
        .at(call.name_range)
        .within(call.range);
  } else if (call.name.starts_with("provider::")) {
    diags.error("Function not allowed in a symbol library")
        .detail("A symbol library has no providers, so it cannot call provider functions.")
        .at(call.name_range)
        .within(call.range);
  } else {
    diags.error("Call to unknown function")
        .detail(fmt::format("No function is named {:?}.{}", call.name,
                            base::did_you_mean(call.name, builtin.names())))
        .at(call.name_range)
        .within(call.range);
  }
  return std::nullopt;
}

}  // namespace

diag::Checked<BoundName> bind_name(const Traversal& traversal, const LibraryContext& place,
                                   diag::Diagnostics& diags) {
  if (traversal.root == "value") return bind_value(traversal, place.library, diags);
  if (traversal.root == "param") return bind_parameter(traversal, place, diags);
  if (traversal.root == "local") return bind_local(traversal, place, diags);
  if (traversal.root == "self") return bind_self(traversal, place, diags);
  if (traversal.root == "symbols") return bind_import(traversal, place.library, diags);
  return invalid(traversal.range,
                 fmt::format("{} is not available in a symbol library. Use values of this library "
                             "(value.NAME), values of imported libraries (symbols.LIBRARY.NAME), "
                             "and, in a function, param.NAME and local.NAME.",
                             addrs::to_text(traversal)),
                 diags);
}

diag::Checked<BoundCall> bind_call(const syntax::CallExpr& call, const Library& library,
                                   const functions::Table& builtin, diag::Diagnostics& diags) {
  if (!is_symbol_name(call.name)) return bind_builtin(call, builtin, diags);
  const auto found = find_function({library.imports, &library}, call.name, call.name_range, diags);
  if (!found) return std::nullopt;
  if (*found == nullptr) return BoundCall{};
  const LibraryFunction& function = **found;
  const Arity arity{function.required(), function.parameters.size(), function.variadic.has_value()};
  if (!check_count(call, arity, diags)) {
    return std::nullopt;
  }
  return BoundCall{&function, nullptr};
}

LibraryContext LibraryScope::context() const {
  if (self_ != nullptr) return {library_, nullptr, LibraryPart::TypeRule};
  if (frame_ != nullptr) return {library_, &frame_->function, LibraryPart::Impl};
  return {library_};
}

bool LibraryScope::Types::named_type(const syntax::CallExpr& call, syntax::TypeConstraint& out,
                                     diag::Diagnostics& diags) const {
  if (!is_symbol_name(call.name)) return false;
  const auto found = find_type({library_.imports, &library_}, call, diags);
  if (found && *found != nullptr) out = (*found)->constraint;
  return true;
}

diag::Checked<syntax::Scope::Resolved> LibraryScope::resolve(const Traversal& traversal,
                                                             diag::Diagnostics& diags) const {
  const auto bound = bind_name(traversal, context(), diags);
  if (!bound) return std::nullopt;
  Value found =
      std::visit(base::Overloaded{
                     [](Unloaded) { return Value::unknown(); },
                     [](OwnValue own) { return own.value->value; },
                     [](ImportedValue imported) { return imported.value->value; },
                     [&](SelfValue) { return *self_; },
                     [](WholeLibrary whole) { return whole.library->all_values(); },
                     [&](const LibraryParameter* p) { return frame_->parameters[p->position]; },
                     [&](const LibraryLocal* local) { return frame_->locals[local->slot]; },
                 },
                 bound->what);
  return Resolved{std::move(found), bound->steps};
}

const syntax::Function* LibraryScope::function(std::string_view name) const {
  if (!is_symbol_name(name)) return builtin_.find(name);
  diag::Diagnostics ignored;  // reported when it was bound
  const auto found = find_function({library_.imports, &library_}, name, {}, ignored);
  return found && *found != nullptr ? &(*found)->callable : nullptr;
}

}  // namespace tofu::symbols
