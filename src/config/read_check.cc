#include <fmt/format.h>
#include <utility>

#include "config/reading.h"

namespace tofu::config {

ReadCheck read_check(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      schema_of({}, {{"data", {"type", "name"}}, {"assert", {}}});
  ReadCheck read;
  Check& check = read.check;
  check.name = block.labels[0].text;
  check.range = block.range;
  if (reading.is_override) {
    reading.diags.error("A check block in an override file")
        .detail("Checks cannot be overridden. Move this block to an ordinary file.")
        .at(block.range);
    return read;
  }
  const syntax::Content content = block.body.content(kSchema, reading.diags);
  check_identifier(reading, block.labels[0], "check name");
  for (const syntax::Block& inner : content.blocks) {
    const std::size_t errors_before = reading.diags.error_count();
    if (inner.type == "assert") {
      const Condition condition = read_condition(reading, inner);
      if (reading.diags.error_count() == errors_before) check.asserts.push_back(condition);
    } else if (read.data) {
      reading.diags.error("More than one data block in a check")
          .detail(fmt::format("A check can have one data source. The first one is at {}.",
                              reading.where(read.data->range)))
          .at(inner.range);
    } else {
      Resource data = read_data(reading, inner, true);
      if (reading.diags.error_count() != errors_before) continue;
      data.check = check.name;
      read.data = std::move(data);
    }
  }
  if (check.asserts.empty()) {
    reading.diags.error("A check without assertions")
        .detail("A check needs at least one assert block.")
        .at(block.range);
  }
  return read;
}

}  // namespace tofu::config
