// A `symbols` block: the import of a symbol library, as written.
//
// Modules and libraries have the same block. Its source is resolved when libraries are loaded
// (library_set.h).
#pragma once

#include <string>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "syntax/body.h"

namespace tofu::symbols {

// `symbols "lib" { source = "./lib" }`.
struct SymbolsImport {
  std::string name;
  const syntax::Expr* source = nullptr;   // null after an error
  const syntax::Expr* version = nullptr;  // of a library in a registry
  diag::SourceRange range;                // of the block's header
  diag::SourceRange name_range;
};

SymbolsImport read_symbols(const syntax::Block& block, diag::Diagnostics& diags);

}  // namespace tofu::symbols
