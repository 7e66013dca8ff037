#include <fmt/format.h>
#include <utility>

#include "config/block_reader.h"
#include "syntax/block_reading.h"

namespace tofu::config {

ReadCheck read_check(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      syntax::schema_of({}, {{"data", {"type", "name"}}, {"assert", {}}});
  ReadCheck read;
  Check& check = read.check;
  check.name = block.labels[0].text;
  check.range = block.range;
  if (block_reader.is_override) {
    block_reader.diags.error("Cannot override check blocks")
        .detail(
            "Check blocks cannot be overridden. Move this block to a file that is not an override "
            "file.")
        .at(block.range);
    return read;
  }
  const syntax::Content content = block.body.content(kSchema, block_reader.diags);
  check_identifier(block_reader, block.labels[0], "check name");
  for (const syntax::Block& inner : content.blocks) {
    const std::size_t errors_before = block_reader.diags.error_count();
    if (inner.type == "assert") {
      const syntax::Condition condition = read_condition(block_reader, inner);
      if (block_reader.diags.error_count() == errors_before) check.asserts.push_back(condition);
    } else if (read.data) {
      block_reader.diags.error("Multiple data resource blocks")
          .detail(fmt::format("A check block can have only one data block. The first one is at {}.",
                              block_reader.where(read.data->range)))
          .at(inner.range);
    } else {
      Resource data = read_data(block_reader, inner, true);
      if (block_reader.diags.error_count() != errors_before) continue;
      data.check = check.name;
      read.data = std::move(data);
    }
  }
  if (check.asserts.empty()) {
    block_reader.diags.error("Zero assert blocks")
        .detail("A check block requires at least one assert block.")
        .at(block.range);
  }
  return read;
}

}  // namespace tofu::config
