// Schemas in few words, and objects of them written as the body of a block, for tests.
//
// In a body `unknown` is an unknown value of type `any`, so an argument of any type can
// be made unknown, and a dynamic block over it makes unknown blocks.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "schema/decode.h"
#include "schema/schema.h"
#include "syntax/map_scope.h"
#include "syntax/parser.h"
#include "value/value.h"

namespace tofu::schema {

enum class Is { Required, Optional, Computed, OptionalComputed };

inline Attribute attribute(std::string name, Is is, value::Type type = value::Type::string()) {
  Attribute out;
  out.name = std::move(name);
  out.type = type;
  out.required = is == Is::Required;
  out.optional = is == Is::Optional || is == Is::OptionalComputed;
  out.computed = is == Is::Computed || is == Is::OptionalComputed;
  return out;
}

inline Attribute sensitive(Attribute out) {
  out.sensitive = true;
  return out;
}

inline Attribute write_only(Attribute out) {
  out.write_only = true;
  return out;
}

inline Attribute nested(std::string name, Is is, Nesting nesting,
                        std::vector<Attribute> attributes) {
  std::ranges::sort(attributes, {}, &Attribute::name);
  const NestedType type{std::move(attributes), nesting};
  Attribute out = attribute(std::move(name), is, type_of(type));
  out.nested = std::make_shared<const NestedType>(type);
  return out;
}

inline Block block(std::vector<Attribute> attributes, std::vector<NestedBlock> blocks = {}) {
  std::ranges::sort(attributes, {}, &Attribute::name);
  std::ranges::sort(blocks, {}, &NestedBlock::name);
  Block out;
  out.attributes = std::move(attributes);
  out.blocks = std::move(blocks);
  return out;
}

inline NestedBlock blocks(std::string name, Nesting nesting, Block inside) {
  NestedBlock out;
  out.name = std::move(name);
  out.nesting = nesting;
  out.block = std::make_shared<const Block>(std::move(inside));
  return out;
}

// The object that the body of a block stands for; "null" is none.
inline value::Value object(const Block& schema, const std::string& body) {
  if (body == "null") return value::Value::null(schema.implied_type());
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const diag::FileId id = sources.add("test.tf", body + "\n");
  const auto file = syntax::parse_file(sources, id, diags);
  const syntax::MapScope scope({{"unknown", value::Value::unknown()}});
  const value::Value made = decode(file->body(), schema, scope, diags);
  TOFU_CHECK(diags.items().empty(), "a body in a test has no mistakes: " + body);
  return made;
}

// The object with another value for one of its parts, also one that no body makes.
inline value::Value with_part(const value::Value& object, std::string_view name, value::Value v) {
  std::vector<value::Attr> parts;
  for (const value::ObjectAttribute& attribute : object.type().attributes()) {
    parts.push_back(
        {attribute.name, attribute.name == name ? v : *object.plain().find(attribute.name)});
  }
  return value::Value::object(std::move(parts));
}

// The type of a part of a schema's objects.
inline value::Type part_type(const Block& schema, std::string_view name) {
  const value::Type type = schema.implied_type();
  return type.attributes()[type.attribute_index(name).value()].type;
}

}  // namespace tofu::schema
