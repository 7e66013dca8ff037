// Bytes as a file in JSON syntax: parsing always gives a tree, and reading that
// tree by a schema, as attributes or as blocks, never fails either.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "fuzz/walk.h"
#include "syntax/body.h"
#include "syntax/parser.h"

namespace {

namespace syntax = tofu::syntax;

// The seeds use these names.
const syntax::BodySchema kSchema{
    .attributes = {{"a", true}, {"b", false}},
    .blocks = {{"plain", {}}, {"named", {"name"}}, {"typed", {"type", "name"}}},
};

// The bytes of the input bound the recursion: each level has a brace of its own.
void read(const syntax::Body& body, tofu::diag::Diagnostics& diags) {
  (void)body.content(kSchema, diags);
  const syntax::PartialContent partial = body.partial_content(kSchema, diags);
  for (const syntax::Attribute& attribute : partial.content.attributes) {
    tofu::fuzz::walk(*attribute.expr);
  }
  for (const syntax::Block& block : partial.content.blocks) read(block.body, diags);
  (void)partial.remaining.just_attributes(diags);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tofu::diag::SourceMap sources;
  tofu::diag::Diagnostics diags;
  const auto id = sources.add("fuzz.tf.json", {reinterpret_cast<const char*>(data), size});
  const auto file = syntax::parse_json_file(sources, id, diags);
  tofu::fuzz::walk(*file->json);
  read(file->body(), diags);
  tofu::fuzz::check_reports(diags, sources);
  return 0;
}
