#include "schema/layout.h"

#include <algorithm>

#include "base/check.h"
#include "schema/members.h"
#include "syntax/dynamic.h"

namespace tofu::schema {

using value::Value;

syntax::BodySchema body_schema(const Block& block) {
  syntax::BodySchema names;
  for (const Attribute& attribute : block.attributes) {
    names.attributes.push_back({attribute.name, attribute.required});
  }
  for (const NestedBlock& nested : block.blocks) {
    // An attribute hides a block of the same name; providers should not have both.
    if (block.attribute(nested.name) != nullptr) continue;
    names.blocks.push_back({nested.name, {}});
    if (nested.nesting == Nesting::Map) names.blocks.back().label_names = {"key"};
  }
  return names;
}

Layout::Layout(const Block& block, Layouts& layouts)
    : block_(block), type_(block.implied_type()), names_(syntax::with_dynamic(body_schema(block))) {
  for (const Attribute& attribute : block.attributes) {
    parts_.push_back({attribute.name, &attribute, nullptr, nullptr,
                      Value::null(attribute.type.without_optional_attributes())});
  }
  for (const NestedBlock& nested : block.blocks) {
    if (block.attribute(nested.name) != nullptr) continue;
    const Layout& inside = layouts.of(*nested.block);
    parts_.push_back({nested.name, nullptr, &nested, &inside, empty_value(nested)});
  }
  std::ranges::sort(parts_, {}, &Part::name);
  std::vector<std::string_view> given;
  for (const Part& part : parts_) {
    given.push_back(part.name);
    const auto named = std::ranges::find(names_.blocks, part.name, &syntax::BlockSchema::type);
    block_names_.push_back(static_cast<std::size_t>(named - names_.blocks.begin()));
  }
  shape_ = value::ObjectShape(given);
  TOFU_CHECK(shape_.size() == parts_.size(), "the names in a schema differ from each other");
}

std::optional<std::size_t> Layout::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(parts_, name, {}, &Part::name);
  if (at == parts_.end() || at->name != name) return std::nullopt;
  return static_cast<std::size_t>(at - parts_.begin());
}

const Layout& Layouts::of(const Block& block) {
  if (const auto known = all_.find(&block); known != all_.end()) return *known->second;
  auto made = std::make_unique<const Layout>(block, *this);
  return *all_.emplace(&block, std::move(made)).first->second;
}

}  // namespace tofu::schema
