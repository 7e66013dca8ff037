// Names of symbols, looked up: `symbols::lib::f` in a module, and in a library also
// `symbols::f` for one of its own.
//
// Shared by modules and libraries, which differ only in their imports and in their name in
// messages. A name that leads nowhere is reported with what could have been meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "symbols/library.h"
#include "syntax/ast.h"

namespace tofu::symbols {

// The context of a name.
struct SymbolContext {
  const LibraryImports& imports;
  const Library* own = nullptr;  // null in a module
};

// Whether a function name belongs to symbol libraries at all.
inline bool is_symbol_name(std::string_view name) { return name.starts_with("symbols::"); }
// The label in such a name: "lib" in `symbols::lib::f`. Nothing in `symbols::f` and in texts that
// are no names.
std::optional<std::string_view> library_of_name(std::string_view name);

// Look up a symbol name. Nothing after an error; null if the name belongs to a library that could
// not be loaded, which was reported before.
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

// Reports that a member exists, but only for its own library. `noun` is what it is.
void report_private(std::string_view noun, std::string_view library, std::string_view name,
                    diag::SourceRange place, diag::Diagnostics& diags);

// base::did_you_mean among the declared names; of the members of a library only those that others
// may use, unless `also_private`.
template <class T>
std::string suggestion(std::string_view name, const base::Named<T>& among,
                       bool also_private = false) {
  std::vector<std::string_view> names;
  for (const T& each : among) {
    if constexpr (requires { each.is_private; }) {
      if (each.is_private && !also_private) continue;
    }
    names.push_back(each.name);
  }
  return base::did_you_mean(name, names);
}

}  // namespace tofu::symbols
