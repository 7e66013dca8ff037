// Names of symbols, looked up: `symbols::lib::f` in a module, and in a library also
// `symbols::f` for one of its own.
//
// Shared by modules and libraries, which differ only in what is imported and in the
// word for where the author is. A name that leads nowhere is reported with what
// could have been meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "config/library.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"

namespace tofu::config {

// Where a name stands.
struct SymbolContext {
  const LibraryImports& imports;
  const Library* own = nullptr;  // null in a module
};

// Whether a function name belongs to symbol libraries at all.
inline bool is_symbol_name(std::string_view name) { return name.starts_with("symbols::"); }

// What a symbol name leads to. Nothing if and only if an error was added; null if it
// belongs to a library that could not be loaded.
std::optional<const LibraryFunction*> find_function(const SymbolContext& context,
                                                    std::string_view name, diag::SourceRange place,
                                                    diag::Diagnostics& diags);
std::optional<const LibraryType*> find_type(const SymbolContext& context,
                                            const syntax::CallExpr& call, diag::Diagnostics& diags);

// Whether a type expression refers to symbols as to values, as in `list(symbols.lib.t)`.
// Then an error was added that shows how the types are written.
bool report_references_as_types(const syntax::Expr& type, bool in_library,
                                diag::Diagnostics& diags);

// Reports that there is no symbols block of that name.
void report_missing_import(const SymbolContext& context, std::string_view name,
                           diag::SourceRange place, diag::Diagnostics& diags);

// base::did_you_mean among what is declared.
template <class T>
std::string suggestion(std::string_view name, const Named<T>& among) {
  std::vector<std::string_view> names;
  for (const T& each : among) names.push_back(each.name);
  return base::did_you_mean(name, names);
}

}  // namespace tofu::config
