#include "config/reading.h"

namespace tofu::config {

ModuleCall read_module_call(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kOverride =
      schema_of({"source", "version", "count", "for_each", "depends_on", "providers"},
                {{"_", {}}, {"lifecycle", {}}, {"locals", {}}, {"provider", {"type"}}});
  static const syntax::BodySchema kSchema = with_required(kOverride, {"source"});
  static const syntax::BodySchema kLifecycle = schema_of({"enabled"});
  syntax::PartialContent read =
      block.body.partial_content(reading.is_override ? kOverride : kSchema, reading.diags);
  const syntax::Content& content = read.content;
  ModuleCall call;
  call.name = block.labels[0].text;
  call.name_range = block.labels[0].range;
  call.range = block.range;
  call.config = std::move(read.remaining);
  check_identifier(reading, block.labels[0], "module call name");

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
      call.depends_on = reference_list(reading, attribute);
      call.depends_on_given = true;
    } else if (attribute.name == "providers") {
      call.providers = passed_providers(reading, attribute);
      call.providers_given = true;
    }
  }

  OnlyOne lifecycle;
  OnlyOne escape;
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "lifecycle") {
      if (!lifecycle.admit(reading, inner, "A module block can have one lifecycle block."))
        continue;
      const syntax::Content settings = inner.body.content(kLifecycle, reading.diags);
      if (const auto* attribute = settings.attribute("enabled")) {
        call.repetition.enabled = attribute->expr;
        places.enabled = attribute->name_range;
      }
    } else if (inner.type == "_") {
      if (!escape.admit(reading, inner, "A module block can have one \"_\" block.")) continue;
      call.config = syntax::Body::joined(std::move(call.config), inner.body);
    } else {
      report_reserved_block(reading, inner, "module");
    }
  }
  check_exclusive(reading, places);
  return call;
}

}  // namespace tofu::config
