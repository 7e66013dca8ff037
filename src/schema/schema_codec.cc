#include "schema/schema_codec.h"

#include <algorithm>
#include <utility>

#include "value/pack.h"

namespace tofu::schema {

namespace {

using value::PackReader;
using value::PackWriter;

constexpr std::uint64_t kVersion = 1;
constexpr int kDeepest = 200;  // blocks in blocks

// The yes-or-no parts of an attribute, in the order of their bits.
constexpr bool Attribute::*kAttributeFlags[] = {
    &Attribute::required,   &Attribute::optional,   &Attribute::computed,  &Attribute::sensitive,
    &Attribute::write_only, &Attribute::never_null, &Attribute::deprecated};

void write_attributes(PackWriter& pack, const std::vector<Attribute>& attributes) {
  pack.array(attributes.size());
  for (const Attribute& attribute : attributes) {
    std::uint64_t flags = 0;
    for (std::size_t i = 0; i < std::size(kAttributeFlags); ++i) {
      if (attribute.*kAttributeFlags[i]) flags |= std::uint64_t{1} << i;
    }
    pack.array(6);
    pack.text(attribute.name);
    pack.type(attribute.type);
    if (attribute.nested) {
      pack.array(2);
      write_attributes(pack, attribute.nested->attributes);
      pack.number(static_cast<std::uint64_t>(attribute.nested->nesting));
    } else {
      pack.nothing();
    }
    pack.text(attribute.description);
    pack.number(flags);
    pack.text(attribute.deprecation_message);
  }
}

void write_block(PackWriter& pack, const Block& block) {
  pack.array(5);
  write_attributes(pack, block.attributes);
  pack.array(block.blocks.size());
  for (const NestedBlock& nested : block.blocks) {
    pack.array(5);
    pack.text(nested.name);
    write_block(pack, *nested.block);
    pack.number(static_cast<std::uint64_t>(nested.nesting));
    pack.number(nested.min_items);
    pack.number(nested.max_items);
  }
  pack.text(block.description);
  pack.flag(block.deprecated);
  pack.flag(block.ephemeral);
}

using Resources = TypeSchemas;

void write_resources(PackWriter& pack, const Resources& resources) {
  pack.array(resources.size());
  for (const auto& [type, schema] : resources) {
    pack.array(3);
    pack.text(type);
    pack.number(schema.version);
    write_block(pack, schema.block);
  }
}

constexpr std::size_t kNestings = static_cast<std::size_t>(Nesting::Map) + 1;

// Names are sorted and unique, as lookups expect.
template <class Item>
void check_order(PackReader& pack, const std::vector<Item>& items) {
  const auto fits = [](const Item& a, const Item& b) { return a.name < b.name; };
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (!fits(items[i - 1], items[i])) pack.fail();
  }
}

std::vector<Attribute> read_attributes(PackReader& pack, int depth) {
  std::vector<Attribute> attributes;
  if (depth > kDeepest) pack.fail();
  const std::size_t count = pack.array();
  for (std::size_t i = 0; i < count && !pack.failed(); ++i) {
    Attribute attribute;
    pack.array_of(6);
    attribute.name = pack.text();
    attribute.type = pack.type();
    if (!pack.nothing()) {
      NestedType nested;
      pack.array_of(2);
      nested.attributes = read_attributes(pack, depth + 1);
      nested.nesting = static_cast<Nesting>(pack.below(kNestings));
      if (pack.failed()) break;
      // The implied type, independent of the file.
      attribute.type = type_of(nested);
      attribute.nested = std::make_shared<const NestedType>(std::move(nested));
    }
    attribute.description = pack.text();
    const std::uint64_t flags = pack.number();
    for (std::size_t bit = 0; bit < std::size(kAttributeFlags); ++bit) {
      attribute.*kAttributeFlags[bit] = (flags >> bit & 1) != 0;
    }
    attribute.deprecation_message = pack.text();
    attributes.push_back(std::move(attribute));
  }
  check_order(pack, attributes);
  return attributes;
}

Block read_block(PackReader& pack, int depth) {
  Block block;
  if (depth > kDeepest) pack.fail();
  pack.array_of(5);
  block.attributes = read_attributes(pack, depth + 1);
  const std::size_t count = pack.array();
  for (std::size_t i = 0; i < count && !pack.failed(); ++i) {
    NestedBlock nested;
    pack.array_of(5);
    nested.name = pack.text();
    nested.block = std::make_shared<const Block>(read_block(pack, depth + 1));
    nested.nesting = static_cast<Nesting>(pack.below(kNestings));
    nested.min_items = pack.number();
    nested.max_items = pack.number();
    if (block.attribute(nested.name) != nullptr) pack.fail();
    block.blocks.push_back(std::move(nested));
  }
  check_order(pack, block.blocks);
  block.description = pack.text();
  block.deprecated = pack.flag();
  block.ephemeral = pack.flag();
  return block;
}

Resources read_resources(PackReader& pack) {
  Resources resources;
  const std::size_t count = pack.array();
  for (std::size_t i = 0; i < count && !pack.failed(); ++i) {
    pack.array_of(3);
    std::string type = pack.text();
    ResourceSchema schema;
    schema.version = pack.number();
    schema.block = read_block(pack, 0);
    resources.insert_or_assign(std::move(type), std::move(schema));
  }
  return resources;
}

}  // namespace

const ProviderSchema* KeptSchemas::find(const std::string& provider) const {
  const auto found = providers.find(provider);
  return found == providers.end() ? nullptr : &found->second;
}

std::string encode_schemas(const KeptSchemas& schemas) {
  PackWriter pack;
  pack.number(kVersion);
  pack.array(schemas.providers.size());
  for (const auto& [address, schema] : schemas.providers) {
    pack.array(6);
    pack.text(address);
    write_block(pack, schema.provider);
    write_block(pack, schema.provider_meta);
    write_resources(pack, schema.resources);
    write_resources(pack, schema.data_sources);
    write_resources(pack, schema.ephemeral_resources);
  }
  return pack.finish();
}

std::optional<KeptSchemas> decode_schemas(std::string_view bytes) {
  PackReader pack(bytes);
  KeptSchemas schemas;
  if (pack.number() != kVersion) pack.fail();
  const std::size_t count = pack.array();
  for (std::size_t i = 0; i < count && !pack.failed(); ++i) {
    pack.array_of(6);
    std::string address = pack.text();
    ProviderSchema schema;
    schema.provider = read_block(pack, 0);
    schema.provider_meta = read_block(pack, 0);
    schema.resources = read_resources(pack);
    schema.data_sources = read_resources(pack);
    schema.ephemeral_resources = read_resources(pack);
    schemas.providers.insert_or_assign(std::move(address), std::move(schema));
  }
  if (pack.failed() || !pack.at_end()) return std::nullopt;
  return schemas;
}

}  // namespace tofu::schema
