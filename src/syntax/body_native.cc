#include <algorithm>
#include <fmt/format.h>

#include "base/suggest.h"
#include "syntax/body_reader.h"

namespace tofu::syntax {
namespace {

diag::SourceRange header_range(const NativeBlock& block) {
  const diag::SourceRange last =
      block.labels.empty() ? block.type_range : block.labels.back().range;
  return {last.file, block.type_range.begin, last.end};
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// Whether the block has the labels that its schema asks for; otherwise reports it.
bool check_labels(const NativeBlock& block, const BlockSchema& schema, diag::Diagnostics& diags) {
  const std::size_t wanted = schema.label_names.size();
  const diag::SourceRange header{block.type_range.file, block.type_range.begin,
                                 block.open_range.end};
  if (block.labels.size() > wanted) {
    diags.error(fmt::format("Extraneous label for {}", block.type))
        .detail(wanted == 0
                    ? fmt::format("\"{}\" blocks have no labels. Remove this label.", block.type)
                    : fmt::format("\"{}\" blocks have only these labels: {}. Remove this one.",
                                  block.type, joined(schema.label_names)))
        .at(block.labels[wanted].range)
        .within(header);
    return false;
  }
  if (block.labels.size() < wanted) {
    diags
        .error(
            fmt::format("Missing {} for {}", schema.label_names[block.labels.size()], block.type))
        .detail(fmt::format("\"{}\" blocks have these labels before the opening brace: {}.",
                            block.type, joined(schema.label_names)))
        .at(block.open_range)
        .within(header);
    return false;
  }
  return true;
}

void report_attribute(const Attribute& attribute, const BodySchema& schema, const Content& found,
                      diag::Diagnostics& diags) {
  std::vector<std::string_view> names;
  for (const AttributeSchema& known : schema.attributes) {
    if (!found.attribute(known.name)) names.push_back(known.name);
  }
  std::string hint = base::did_you_mean(attribute.name, names);
  if (hint.empty()) {
    for (const BlockSchema& block : schema.blocks) {
      if (block.type != attribute.name) continue;
      hint = fmt::format(
          " Did you mean to define a block of type \"{}\"? If so, remove the equals sign.",
          block.type);
      break;
    }
  }
  // This detail, and that of a block below, are compared word for word by the tests of
  // terraform-exec.
  diags.error("Unsupported argument")
      .detail(fmt::format("An argument named \"{}\" is not expected here.{}", attribute.name, hint))
      .at(attribute.name_range);
}

void report_block(const NativeBlock& block, const BodySchema& schema, diag::Diagnostics& diags) {
  std::vector<std::string_view> types;
  for (const BlockSchema& known : schema.blocks) types.push_back(known.type);
  std::string hint = base::did_you_mean(block.type, types);
  if (hint.empty()) {
    for (const AttributeSchema& attribute : schema.attributes) {
      if (attribute.name != block.type) continue;
      hint = fmt::format(
          " Did you mean to define the argument \"{}\"? If so, add an equals sign before its "
          "value.",
          block.type);
      break;
    }
  }
  diags.error("Unsupported block type")
      .detail(fmt::format("Blocks of type \"{}\" are not expected here.{}", block.type, hint))
      .at(block.type_range);
}

}  // namespace

Content BodyReader::native(const Body& body, const BodySchema& schema, Body* rest,
                           diag::Diagnostics& diags) {
  Content content;
  content.missing_item_range = body.missing_item_range();
  if (!body.native_) {
    report_missing(body, schema, content, diags);
    return content;
  }
  const SchemaIndex index(schema);
  const NameSet hidden = hidden_attributes(body);
  const NameSet hidden_types = hidden_blocks(body);
  std::vector<const Attribute*> other_attributes;
  std::vector<const NativeBlock*> other_blocks;
  std::vector<std::string> types;  // of the schema's blocks, those that are there
  for (const Attribute& attribute : body.native_->attributes) {
    if (hidden.contains(attribute.name)) continue;
    if (index.attribute(attribute.name)) {
      content.attributes.push_back(attribute);
    } else if (!rest) {
      other_attributes.push_back(&attribute);
    }
  }
  report_missing(body, schema, content, diags);
  for (const NativeBlock& block : body.native_->blocks) {
    if (hidden_types.contains(block.type)) continue;
    if (const BlockSchema* wanted = index.block(block.type)) {
      if (rest && std::ranges::find(types, block.type) == types.end()) {
        types.emplace_back(block.type);
      }
      if (!check_labels(block, *wanted, diags)) continue;
      content.blocks.push_back({block.type,
                                {block.labels.begin(), block.labels.end()},
                                Body(block.body),
                                header_range(block),
                                block.type_range});
    } else if (!rest) {
      other_blocks.push_back(&block);
    }
  }
  for (const Attribute* attribute : other_attributes) {
    report_attribute(*attribute, schema, content, diags);
  }
  for (const NativeBlock* block : other_blocks) report_block(*block, schema, diags);
  if (rest) {
    std::vector<std::string> names;
    for (const Attribute& attribute : content.attributes) names.emplace_back(attribute.name);
    const bool has_rest = !names.empty() || !types.empty();
    *rest = has_rest ? hide(body, std::move(names), std::move(types)) : body;
  }
  return content;
}

std::vector<Attribute> BodyReader::native_attributes(const Body& body, diag::Diagnostics& diags) {
  std::vector<Attribute> attributes;
  if (!body.native_) return attributes;
  if (!body.native_->blocks.empty()) {
    const NativeBlock& block = body.native_->blocks.front();
    diags.error(fmt::format("Unexpected \"{}\" block", block.type))
        .detail("Blocks are not allowed here.")
        .at(block.type_range);
  }
  const NameSet hidden = hidden_attributes(body);
  for (const Attribute& attribute : body.native_->attributes) {
    if (!hidden.contains(attribute.name)) attributes.push_back(attribute);
  }
  return attributes;
}

}  // namespace tofu::syntax
