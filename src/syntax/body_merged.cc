#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "syntax/body_reader.h"

namespace tofu::syntax {
namespace {

constexpr std::string_view kDynamic = "dynamic";

BodySchema without_required(const BodySchema& schema) {
  BodySchema relaxed = schema;
  for (AttributeSchema& attribute : relaxed.attributes) attribute.required = false;
  return relaxed;
}

// The type of block that a block is or, if it is dynamic, makes.
std::string_view made_type(const Block& block) {
  return block.type == kDynamic && !block.labels.empty() ? block.labels[0].text : block.type;
}

void set_twice(const Attribute& attribute, diag::Diagnostics& diags) {
  diags.error("Duplicate argument")
      .detail(
          fmt::format("The argument \"{}\" is already set in this block. Remove one of the two.",
                      attribute.name))
      .at(attribute.name_range);
}

// Adds what was not there before and reports what was.
void join(std::vector<Attribute> more, std::vector<Attribute>& all,
          std::unordered_set<std::string_view>& names, diag::Diagnostics& diags) {
  for (Attribute& attribute : more) {
    if (!names.insert(attribute.name).second) {
      set_twice(attribute, diags);
      continue;
    }
    all.push_back(std::move(attribute));
  }
}

// Replaces what was there before and adds the rest.
void replace(std::vector<Attribute> more, std::vector<Attribute>& all) {
  std::unordered_map<std::string_view, Attribute*> places;
  for (Attribute& attribute : all) places.emplace(attribute.name, &attribute);
  std::vector<Attribute> added;
  for (Attribute& attribute : more) {
    const auto place = places.find(attribute.name);
    if (place == places.end()) {
      added.push_back(std::move(attribute));
    } else {
      *place->second = std::move(attribute);
    }
  }
  all.insert(all.end(), added.begin(), added.end());
}

void replace(std::vector<Block> more, std::vector<Block>& all) {
  std::unordered_set<std::string_view> types;
  for (const Block& block : more) types.insert(made_type(block));
  std::erase_if(all, [&](const Block& block) {
    return types.contains(block.type) || types.contains(made_type(block));
  });
  std::ranges::move(more, std::back_inserter(all));
}

// The content of one part, and what is left of it if that is wanted.
Content read_part(const Body& part, const BodySchema& schema, std::vector<Body>* rests,
                  diag::Diagnostics& diags) {
  if (!rests) return part.content(schema, diags);
  PartialContent read = part.partial_content(schema, diags);
  rests->push_back(std::move(read.remaining));
  return std::move(read.content);
}

Content read_joined(const std::vector<Body>& parts, const BodySchema& schema,
                    std::vector<Body>* rests, diag::Diagnostics& diags) {
  const BodySchema relaxed = without_required(schema);
  Content content;
  std::unordered_set<std::string_view> names;
  for (const Body& part : parts) {
    Content more = read_part(part, relaxed, rests, diags);
    join(std::move(more.attributes), content.attributes, names, diags);
    std::ranges::move(more.blocks, std::back_inserter(content.blocks));
  }
  for (const AttributeSchema& attribute : schema.attributes) {
    if (!attribute.required || names.contains(attribute.name)) continue;
    // No place: it could stand in any of the parts.
    diags.error("Missing required argument")
        .detail(fmt::format("The argument \"{}\" is required, but no definition was found.",
                            attribute.name));
  }
  return content;
}

Content read_overridden(const std::vector<Body>& parts, const BodySchema& schema,
                        std::vector<Body>* rests, diag::Diagnostics& diags) {
  const bool wants_dynamic =
      std::ranges::find(schema.blocks, kDynamic, &BlockSchema::type) != schema.blocks.end();
  BodySchema base = schema;
  if (!wants_dynamic) base.blocks.push_back({std::string(kDynamic), {"type"}});
  const BodySchema relaxed = without_required(base);
  std::vector<Body> ignored;  // reading in part, so that nothing else is reported
  Content content;
  for (const Body& part : parts) {
    const bool is_base = &part == &parts.front();
    Content more = read_part(part, is_base ? base : relaxed, rests ? rests : &ignored, diags);
    if (is_base) {
      content = std::move(more);
      continue;
    }
    replace(std::move(more.attributes), content.attributes);
    replace(std::move(more.blocks), content.blocks);
  }
  if (!wants_dynamic) {
    std::erase_if(content.blocks, [](const Block& block) { return block.type == kDynamic; });
  }
  return content;
}

}  // namespace

Body Body::joined(Body first, Body second) {
  Body both;
  both.merged_ = std::make_shared<Merged>();
  both.merged_->kind = Merged::Kind::Joined;
  both.merged_->parts = {std::move(first), std::move(second)};
  return both;
}

Body Body::overridden(Body base, Body override) {
  // One flat list, however many override files there are: reading must not recur
  // once per file.
  if (base.merged_ && base.merged_->kind == Merged::Kind::Overridden) {
    if (base.merged_.use_count() > 1) base.merged_ = std::make_shared<Merged>(*base.merged_);
    base.merged_->parts.push_back(std::move(override));
    return base;
  }
  Body both;
  both.merged_ = std::make_shared<Merged>();
  both.merged_->kind = Merged::Kind::Overridden;
  both.merged_->parts = {std::move(base), std::move(override)};
  return both;
}

Content BodyReader::merged(const Body& body, const BodySchema& schema, Body* rest,
                           diag::Diagnostics& diags) {
  const Body::Merged& merged = *body.merged_;
  std::vector<Body> rests;
  std::vector<Body>* wanted = rest ? &rests : nullptr;
  Content content = merged.kind == Body::Merged::Kind::Joined
                        ? read_joined(merged.parts, schema, wanted, diags)
                        : read_overridden(merged.parts, schema, wanted, diags);
  content.missing_item_range = body.missing_item_range();
  if (rest) {
    rest->merged_ = std::make_shared<Body::Merged>();
    rest->merged_->kind = merged.kind;
    rest->merged_->parts = std::move(rests);
  }
  return content;
}

std::vector<Attribute> BodyReader::merged_attributes(const Body& body, diag::Diagnostics& diags) {
  std::vector<Attribute> all;
  std::unordered_set<std::string_view> names;
  for (const Body& part : body.merged_->parts) {
    std::vector<Attribute> more = part.just_attributes(diags);
    if (body.merged_->kind == Body::Merged::Kind::Joined) {
      join(std::move(more), all, names, diags);
    } else {
      replace(std::move(more), all);
    }
  }
  return all;
}

}  // namespace tofu::syntax
