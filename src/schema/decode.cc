#include "schema/decode.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <unordered_map>

#include "base/check.h"
#include "syntax/analysis.h"
#include "syntax/dynamic.h"
#include "value/convert.h"

namespace tofu::schema {

namespace {

using syntax::ExpandedBlock;
using value::Type;
using value::Value;

using Iterators = std::shared_ptr<const syntax::Iterator>;

// The blocks of one body, gathered by type.
using BlocksByType = std::unordered_map<std::string_view, std::vector<const ExpandedBlock*>>;

class Decoder {
 public:
  Decoder(const syntax::Scope& scope, diag::Diagnostics& diags) : scope_(scope), diags_(diags) {}

  Value decode(const syntax::Body& body, const Block& schema, const Iterators& iterators);

 private:
  struct Found {
    const NestedBlock& schema;
    std::span<const ExpandedBlock* const> blocks;
    diag::SourceRange missing_range;
  };

  Value decode_attribute(const Attribute& attribute, const syntax::Attribute* given,
                         const syntax::Scope& scope);
  Value decode_blocks(const Found& found);
  Value decode_single(const Found& found);
  Value decode_sequence(const Found& found);
  Value decode_map(const Found& found);
  bool check_count(const Found& found);
  Value decode_one(const ExpandedBlock& block, const NestedBlock& schema);

  const syntax::Scope& scope_;
  diag::Diagnostics& diags_;
};

Value Decoder::decode(const syntax::Body& body, const Block& schema, const Iterators& iterators) {
  const syntax::IteratorScope inner(scope_, iterators);
  const syntax::Scope& scope = iterators == nullptr ? scope_ : inner;
  const syntax::BodySchema names = body_schema(schema);
  const syntax::Content content = body.content(syntax::with_dynamic(names), diags_);
  const auto blocks = syntax::expand_blocks(content, names, scope_, iterators, true, diags_);
  BlocksByType by_type;
  for (const ExpandedBlock& block : blocks) by_type[block.block.type].push_back(&block);

  std::vector<value::Attr> parts;
  parts.reserve(schema.attributes.size() + schema.blocks.size());
  for (const Attribute& attribute : schema.attributes) {
    parts.push_back(
        {attribute.name, decode_attribute(attribute, content.attribute(attribute.name), scope)});
  }
  for (const NestedBlock& nested : schema.blocks) {
    if (schema.attribute(nested.name) != nullptr) continue;
    parts.push_back(
        {nested.name, decode_blocks({nested, by_type[nested.name], content.missing_item_range})});
  }
  return Value::object(std::move(parts));
}

Value Decoder::decode_attribute(const Attribute& attribute, const syntax::Attribute* given,
                                const syntax::Scope& scope) {
  const Type type = attribute.type.without_optional_attributes();
  if (given == nullptr) return Value::null(type);
  const auto result = syntax::evaluate(*given->expr, &scope, diags_);
  if (!result) return Value::unknown(type);
  auto converted = value::convert(*result, attribute.type);
  if (!converted) {
    diags_.error("Wrong type of value")
        .detail(fmt::format("The argument {:?} cannot take this value: {}.", attribute.name,
                            value::to_string(converted.error())))
        .at(given->expr->range)
        .within(given->range);
    return Value::unknown(type);
  }
  return std::move(*converted);
}

Value Decoder::decode_blocks(const Found& found) {
  switch (found.schema.nesting) {
    case Nesting::Single:
    case Nesting::Group: return decode_single(found);
    case Nesting::List:
    case Nesting::Set: return decode_sequence(found);
    case Nesting::Map: return decode_map(found);
  }
  base::broken_promise("a nesting out of range");
}

Value Decoder::decode_one(const ExpandedBlock& block, const NestedBlock& schema) {
  return decode(block.block.body, *schema.block, block.iterators).with_marks(block.marks);
}

// What a group is when its block is left out: everything in it is absent too.
Value empty_group(const Block& schema);

Value empty_nested(const NestedBlock& nested) {
  const Type inside = nested.block->implied_type();
  switch (nested.nesting) {
    case Nesting::Single: return Value::null(inside);
    case Nesting::Group: return empty_group(*nested.block);
    case Nesting::List: return inside.has_dynamic() ? Value::tuple({}) : Value::list(inside, {});
    case Nesting::Set: return Value::set(inside, {});
    case Nesting::Map: return inside.has_dynamic() ? Value::object({}) : Value::map(inside, {});
  }
  base::broken_promise("a nesting out of range");
}

Value empty_group(const Block& schema) {
  std::vector<value::Attr> parts;
  for (const Attribute& attribute : schema.attributes) {
    parts.push_back({attribute.name, Value::null(attribute.type.without_optional_attributes())});
  }
  for (const NestedBlock& nested : schema.blocks) {
    if (schema.attribute(nested.name) == nullptr)
      parts.push_back({nested.name, empty_nested(nested)});
  }
  return Value::object(std::move(parts));
}

bool any_unknown(std::span<const ExpandedBlock* const> blocks) {
  return std::ranges::any_of(blocks, [](const ExpandedBlock* block) { return block->unknown; });
}

Value Decoder::decode_single(const Found& found) {
  const std::string& name = found.schema.name;
  if (found.blocks.empty()) {
    if (found.schema.min_items >= 1) {
      diags_.error("Missing block")
          .detail(fmt::format("A block of type {:?} is required here.", name))
          .at(found.missing_range);
    }
    return empty_nested(found.schema);
  }
  if (found.blocks.size() > 1) {
    diags_.error("Too many blocks")
        .detail(
            fmt::format("Only one block of type {:?} is allowed here; this is another one.", name))
        .at(found.blocks[1]->block.range);
  }
  const Value first = decode_one(*found.blocks[0], found.schema);
  return found.blocks[0]->unknown ? Value::unknown(found.schema.block->implied_type()) : first;
}

// False if an error was added.
bool Decoder::check_count(const Found& found) {
  // How many blocks an unknown for_each makes cannot be told yet.
  if (any_unknown(found.blocks)) return true;
  const NestedBlock& schema = found.schema;
  if (found.blocks.size() < schema.min_items) {
    diags_.error("Too few blocks")
        .detail(fmt::format("At least {} blocks of type {:?} are required here.", schema.min_items,
                            schema.name))
        .at(found.missing_range);
    return false;
  }
  if (schema.max_items > 0 && found.blocks.size() > schema.max_items) {
    diags_.error("Too many blocks")
        .detail(fmt::format("At most {} blocks of type {:?} are allowed here.", schema.max_items,
                            schema.name))
        .at(found.blocks[schema.max_items]->block.range);
    return false;
  }
  return true;
}

Value Decoder::decode_sequence(const Found& found) {
  check_count(found);
  const Type inside = found.schema.block->implied_type();
  const bool is_set = found.schema.nesting == Nesting::Set;
  const bool is_tuple = !is_set && inside.has_dynamic();
  std::vector<Value> items;
  for (const ExpandedBlock* block : found.blocks) items.push_back(decode_one(*block, found.schema));
  if (any_unknown(found.blocks)) {
    if (is_tuple) return Value::unknown();
    return Value::unknown(is_set ? Type::set(inside) : Type::list(inside));
  }
  if (is_tuple) return Value::tuple(std::move(items));
  return is_set ? Value::set(inside, std::move(items)) : Value::list(inside, std::move(items));
}

Value Decoder::decode_map(const Found& found) {
  const Type inside = found.schema.block->implied_type();
  std::vector<value::MapEntry> entries;
  std::vector<value::Attr> attributes;
  std::unordered_map<std::string_view, const ExpandedBlock*> seen;
  for (const ExpandedBlock* block : found.blocks) {
    Value item = decode_one(*block, found.schema);
    if (block->unknown || block->block.labels.empty()) continue;
    const syntax::Label& label = block->block.labels[0];
    if (!seen.emplace(label.text, block).second) {
      diags_.error("Duplicate block")
          .detail(fmt::format("There is already a block of type {:?} with the label {:?}.",
                              found.schema.name, label.text))
          .at(label.range)
          .within(block->block.range);
      continue;
    }
    if (inside.has_dynamic()) {
      attributes.push_back({std::string(label.text), std::move(item)});
    } else {
      entries.push_back({std::string(label.text), std::move(item)});
    }
  }
  if (any_unknown(found.blocks)) {
    return inside.has_dynamic() ? Value::unknown() : Value::unknown(Type::map(inside));
  }
  if (inside.has_dynamic()) return Value::object(std::move(attributes));
  return Value::map(inside, std::move(entries));
}

}  // namespace

syntax::BodySchema body_schema(const Block& schema) {
  syntax::BodySchema names;
  for (const Attribute& attribute : schema.attributes) {
    names.attributes.push_back({attribute.name, attribute.required});
  }
  for (const NestedBlock& nested : schema.blocks) {
    if (schema.attribute(nested.name) != nullptr) continue;
    names.blocks.push_back({nested.name, {}});
    if (nested.nesting == Nesting::Map) names.blocks.back().label_names = {"key"};
  }
  return names;
}

Value decode(const syntax::Body& body, const Block& schema, const syntax::Scope& scope,
             diag::Diagnostics& diags) {
  return Decoder(scope, diags).decode(body, schema, nullptr);
}

}  // namespace tofu::schema
