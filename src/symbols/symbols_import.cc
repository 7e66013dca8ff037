#include "symbols/symbols_import.h"

#include "syntax/block_reading.h"

namespace tofu::symbols {

SymbolsImport read_symbols(const syntax::Block& block, diag::Diagnostics& diags) {
  static const syntax::BodySchema kSchema =
      syntax::with_required(syntax::schema_of({"source", "version"}), {"source"});
  const syntax::Content content = block.body.content(kSchema, diags);
  syntax::check_identifier(block.labels[0], "symbol library name", diags);
  SymbolsImport symbols;
  symbols.name = block.labels[0].text;
  symbols.name_range = block.labels[0].range;
  symbols.range = block.range;
  if (const auto* attribute = content.attribute("source")) symbols.source = attribute->expr;
  if (const auto* attribute = content.attribute("version")) symbols.version = attribute->expr;
  return symbols;
}

}  // namespace tofu::symbols
