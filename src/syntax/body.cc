#include "syntax/body.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

#include "syntax/analysis.h"
#include "syntax/body_reader.h"

namespace tofu::syntax {
namespace {

constexpr std::size_t kFew = 12;  // up to here comparing is faster than hashing

}  // namespace

SchemaIndex::SchemaIndex(const BodySchema& schema) : schema_(schema) {
  if (schema.attributes.size() > kFew) {
    for (const AttributeSchema& attribute : schema.attributes) {
      attributes_.emplace(attribute.name, &attribute);
    }
  }
  if (schema.blocks.size() > kFew) {
    for (const BlockSchema& block : schema.blocks) blocks_.emplace(block.type, &block);
  }
}

const AttributeSchema* SchemaIndex::attribute(std::string_view name) const {
  if (!attributes_.empty()) {
    const auto found = attributes_.find(name);
    return found == attributes_.end() ? nullptr : found->second;
  }
  const auto found = std::ranges::find(schema_.attributes, name, &AttributeSchema::name);
  return found == schema_.attributes.end() ? nullptr : &*found;
}

const BlockSchema* SchemaIndex::block(std::string_view type) const {
  if (!blocks_.empty()) {
    const auto found = blocks_.find(type);
    return found == blocks_.end() ? nullptr : found->second;
  }
  const auto found = std::ranges::find(schema_.blocks, type, &BlockSchema::type);
  return found == schema_.blocks.end() ? nullptr : &*found;
}

NameSet::NameSet(const std::vector<std::string>& names) {
  if (names.size() <= kFew) {
    few_ = &names;
    return;
  }
  for (const std::string& name : names) many_.emplace(name, true);
}

bool NameSet::contains(std::string_view name) const {
  if (few_) return std::ranges::find(*few_, name) != few_->end();
  return !many_.empty() && many_.contains(name);
}

NameSet BodyReader::hidden_attributes(const Body& body) {
  return body.hidden_ ? NameSet(body.hidden_->attributes) : NameSet();
}
NameSet BodyReader::hidden_blocks(const Body& body) {
  return body.hidden_ ? NameSet(body.hidden_->blocks) : NameSet();
}

Body BodyReader::hide(const Body& body, std::vector<std::string> attributes,
                      std::vector<std::string> blocks) {
  auto hidden = std::make_shared<Body::Hidden>();
  if (body.hidden_) *hidden = *body.hidden_;
  const auto add = [](std::vector<std::string>& to, std::vector<std::string> more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  add(hidden->attributes, std::move(attributes));
  add(hidden->blocks, std::move(blocks));
  Body rest = body;
  rest.hidden_ = std::move(hidden);
  return rest;
}

void BodyReader::report_missing(const Body& body, const BodySchema& schema, const Content& found,
                                diag::Diagnostics& diags) {
  std::unordered_set<std::string_view> names;
  const bool is_written = body.native_ != nullptr || body.json_ != nullptr || body.merged_;
  std::optional<diag::SourceRange> place;
  if (is_written) place = body.missing_item_range();
  for (const AttributeSchema& attribute : schema.attributes) {
    if (!attribute.required) continue;
    if (names.empty()) {
      for (const Attribute& present : found.attributes) names.insert(present.name);
    }
    if (names.contains(attribute.name)) continue;
    diags.error("Missing required argument")
        .detail(fmt::format("The argument \"{}\" is required, but no definition was found.",
                            attribute.name))
        .at(place);
  }
}

Body::Body(const NativeBody& native) : native_(&native) {}
Body::Body(const Expr& json) : json_(&json) {}

Content Body::content(const BodySchema& schema, diag::Diagnostics& diags) const {
  if (merged_) return BodyReader::merged(*this, schema, nullptr, diags);
  return json_ ? BodyReader::json(*this, schema, nullptr, diags)
               : BodyReader::native(*this, schema, nullptr, diags);
}

PartialContent Body::partial_content(const BodySchema& schema, diag::Diagnostics& diags) const {
  PartialContent read;
  if (merged_) {
    read.content = BodyReader::merged(*this, schema, &read.remaining, diags);
    return read;
  }
  read.content = json_ ? BodyReader::json(*this, schema, &read.remaining, diags)
                       : BodyReader::native(*this, schema, &read.remaining, diags);
  return read;
}

std::vector<Attribute> Body::just_attributes(diag::Diagnostics& diags) const {
  if (merged_) return BodyReader::merged_attributes(*this, diags);
  return json_ ? BodyReader::json_attributes(*this, diags)
               : BodyReader::native_attributes(*this, diags);
}

diag::SourceRange Body::missing_item_range() const {
  if (merged_) return merged_->parts.front().missing_item_range();
  if (native_) return {native_->range.file, native_->range.begin, native_->range.begin};
  if (!json_) return {};
  if (json_->kind != ExprKind::Object || json_->range.empty()) return start_range(*json_);
  return {json_->range.file, json_->range.end - 1, json_->range.end};  // the closing brace
}

const Attribute* Content::attribute(std::string_view name) const {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

}  // namespace tofu::syntax
