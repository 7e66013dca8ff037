#include "symbols/symbol_names.h"

#include <fmt/format.h>

#include "syntax/analysis.h"

namespace tofu::symbols {

namespace {

constexpr std::string_view kPrefix = "symbols::";

// `symbols::lib::f` taken apart; `lib` is empty in `symbols::f`.
struct Parts {
  std::string_view library;
  std::string_view member;
};

std::optional<Parts> parts_of(std::string_view name) {
  name.remove_prefix(kPrefix.size());
  const std::size_t separator = name.find("::");
  if (separator == std::string_view::npos) return Parts{{}, name};
  const Parts parts{name.substr(0, separator), name.substr(separator + 2)};
  if (parts.member.find("::") != std::string_view::npos) return std::nullopt;
  return parts;
}

// The searched name: which list of a library, and its word.
struct FunctionKind {
  static constexpr std::string_view kNoun = "function";
  static const base::Named<LibraryFunction>& of(const Library& library) {
    return library.functions;
  }
  static bool is_other(const Library& library, std::string_view name) {
    return library.types.find(name) != nullptr;
  }
  static constexpr std::string_view kOther =
      " A type of that name exists, but types are allowed only in type constraints.";
};
struct TypeKind {
  static constexpr std::string_view kNoun = "type";
  static const base::Named<LibraryType>& of(const Library& library) { return library.types; }
  static bool is_other(const Library& library, std::string_view name) {
    return library.functions.find(name) != nullptr;
  }
  static constexpr std::string_view kOther =
      " A function of that name exists, but it is not a type.";
};

template <class Kind>
auto find_in(const Library& library, std::string_view import, std::string_view name,
             diag::SourceRange place, diag::Diagnostics& diags)
    -> decltype(Kind::of(library).find(name)) {
  const auto* found = Kind::of(library).find(name);
  if (found != nullptr && found->is_private && !import.empty()) {
    report_private(Kind::kNoun, import, name, place, diags);
    return nullptr;
  }
  if (found != nullptr) return found;
  std::string detail =
      import.empty() ? fmt::format("This library has no {} {:?}.", Kind::kNoun, name)
                     : fmt::format("The library {:?} has no {} {:?}.", import, Kind::kNoun, name);
  detail += Kind::is_other(library, name) ? std::string(Kind::kOther)
                                          : suggestion(name, Kind::of(library), import.empty());
  diags.error(fmt::format("Reference to undefined {}", Kind::kNoun))
      .detail(std::move(detail))
      .at(place);
  return nullptr;
}

template <class Kind>
auto find_symbol(const SymbolContext& context, std::string_view name, diag::SourceRange place,
                 diag::Diagnostics& diags)
    -> std::optional<decltype(Kind::of(*context.own).find(name))> {
  const auto parts = parts_of(name);
  if (!parts || (parts->library.empty() && context.own == nullptr)) {
    diags.error(fmt::format("Reference to undefined {}", Kind::kNoun))
        .detail(fmt::format("Write a {} of a symbol library as symbols::LIBRARY::NAME, where "
                            "LIBRARY is the label of a symbols block.",
                            Kind::kNoun))
        .at(place);
    return std::nullopt;
  }
  const Library* library = context.own;
  if (!parts->library.empty()) {
    const LibraryImport* import = context.imports.find(parts->library);
    if (import == nullptr) {
      report_missing_import(context, parts->library, place, diags);
      return std::nullopt;
    }
    library = import->library;
    if (library == nullptr) return nullptr;
  }
  const auto* found = find_in<Kind>(*library, parts->library, parts->member, place, diags);
  if (found == nullptr) return std::nullopt;
  return found;
}

// How the type is written that a reference, which is none, seems to mean; empty if it
// means something else. `symbols.t` is a type only in a library.
std::string type_meant_by(const syntax::Traversal& reference, bool in_library) {
  const std::size_t steps = reference.steps.size();
  const bool fits = steps == 2 || (steps == 1 && in_library);
  if (reference.root != "symbols" || !fits) return {};
  std::string name(reference.root);
  for (const syntax::TraversalStep& step : reference.steps) {
    if (step.kind != syntax::StepKind::Attribute) return {};
    name.append("::").append(step.name);
  }
  return name + "()";
}

// In JSON a type is a string that spells it.
std::vector<syntax::Traversal> references_in(const syntax::Expr& type) {
  if (const auto alone = syntax::traversal_if(type)) return {*alone};
  diag::Diagnostics ignored;  // a type need not be a call
  const syntax::CallExpr* call = syntax::as_call(type, ignored);
  std::vector<syntax::Traversal> found;
  for (const syntax::Traversal* each : syntax::variables(call == nullptr ? type : *call)) {
    found.push_back(*each);
  }
  return found;
}

}  // namespace

std::optional<std::string_view> library_of_name(std::string_view name) {
  const auto parts = parts_of(name);
  if (!parts || parts->library.empty()) return std::nullopt;
  return parts->library;
}

void report_missing_import(const SymbolContext& context, std::string_view name,
                           diag::SourceRange place, diag::Diagnostics& diags) {
  diags.error("Reference to undefined symbol library")
      .detail(fmt::format("No symbols block is named \"{}\" in this {}.{}", name,
                          context.own == nullptr ? "module" : "library",
                          suggestion(name, context.imports)))
      .at(place);
}

void report_private(std::string_view noun, std::string_view library, std::string_view name,
                    diag::SourceRange place, diag::Diagnostics& diags) {
  diags.error("Private symbol")
      .detail(fmt::format("The {} {:?} is private to the library {:?}, so only that library can "
                          "use it.",
                          noun, name, library))
      .at(place);
}

std::optional<const LibraryFunction*> find_function(const SymbolContext& context,
                                                    std::string_view name, diag::SourceRange place,
                                                    diag::Diagnostics& diags) {
  return find_symbol<FunctionKind>(context, name, place, diags);
}

bool report_references_as_types(const syntax::Expr& type, bool in_library,
                                diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  for (const syntax::Traversal& reference : references_in(type)) {
    const std::string meant = type_meant_by(reference, in_library);
    if (meant.empty()) continue;
    diags.error("Invalid type")
        .detail(fmt::format("A reference is not a type. To use the type of that name, write {}.",
                            meant))
        .at(reference.range);
  }
  return diags.error_count() != before;
}

std::optional<const LibraryType*> find_type(const SymbolContext& context,
                                            const syntax::CallExpr& call,
                                            diag::Diagnostics& diags) {
  if (!call.arguments.empty()) {
    diags.error("Invalid type")
        .detail(fmt::format("Types of symbol libraries have no arguments: write {}().", call.name))
        .at(diag::cover(call.open_range, call.close_range))
        .within(call.range);
    return std::nullopt;
  }
  return find_symbol<TypeKind>(context, call.name, call.name_range, diags);
}

}  // namespace tofu::symbols
