#include "config/block_reader.h"
#include "syntax/block_reading.h"
namespace tofu::config {

ModuleCall read_module_call(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kOverride =
      syntax::schema_of({"source", "version", "count", "for_each", "depends_on", "providers"},
                        {{"_", {}}, {"lifecycle", {}}, {"locals", {}}, {"provider", {"type"}}});
  static const syntax::BodySchema kSchema = syntax::with_required(kOverride, {"source"});
  static const syntax::BodySchema kLifecycle = syntax::schema_of({"enabled"});
  syntax::PartialContent read = block.body.partial_content(
      block_reader.is_override ? kOverride : kSchema, block_reader.diags);
  const syntax::Content& content = read.content;
  ModuleCall call;
  call.name = block.labels[0].text;
  call.name_range = block.labels[0].range;
  call.range = block.range;
  call.config = std::move(read.remaining);
  check_identifier(block_reader, block.labels[0], "module call name");

  RepetitionPlaces places;
  for (const syntax::Attribute& attribute : content.attributes) {
    if (attribute.name == "source") {
      call.source = attribute.expr;
    } else if (attribute.name == "version") {
      call.version = attribute.expr;
      call.version_range = attribute.range;
    } else if (attribute.name == "count") {
      call.repetition.count = attribute.expr;
      places.count = attribute.name_range;
    } else if (attribute.name == "for_each") {
      call.repetition.for_each = attribute.expr;
      places.for_each = attribute.name_range;
    } else if (attribute.name == "depends_on") {
      call.depends_on = reference_list(block_reader, attribute);
      call.depends_on_given = true;
    } else if (attribute.name == "providers") {
      call.providers = passed_providers(block_reader, attribute);
      call.providers_given = true;
    }
  }

  OnlyOne lifecycle;
  OnlyOne escape;
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "lifecycle") {
      if (!lifecycle.admit(block_reader, inner,
                           "A module block can have only one lifecycle block."))
        continue;
      const syntax::Content settings = inner.body.content(kLifecycle, block_reader.diags);
      if (const auto* attribute = settings.attribute("enabled")) {
        call.repetition.enabled = attribute->expr;
        places.enabled = attribute->name_range;
      }
    } else if (inner.type == "_") {
      if (!escape.admit(block_reader, inner, "A module block can have only one \"_\" block."))
        continue;
      call.config = syntax::Body::joined(std::move(call.config), inner.body);
    } else {
      report_reserved_block(block_reader, inner, "module");
    }
  }
  check_exclusive(block_reader, places);
  return call;
}

}  // namespace tofu::config
