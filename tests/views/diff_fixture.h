// Diffs as tests read them: values and schemas in, text out.
//
// Short names for the pieces that values and schemas are made of, so that a test
// shows the change and little else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "schema/schema.h"
#include "value/value.h"
#include "views/diff.h"
#include "views/diff_text.h"
#include "views/plain_value.h"

namespace tofu::views {

using value::Attr;
using value::Type;
using value::Value;

inline Value str(std::string_view text) { return Value::string(text); }
inline Value num(std::int64_t number) { return Value::integer(number); }
inline Value secret(const Value& v) { return v.with_marks(value::Marks::sensitive()); }
inline Value strings(std::vector<Value> items) {
  return Value::list(Type::string(), std::move(items));
}

inline schema::Attribute attribute(std::string name, Type type) {
  schema::Attribute out;
  out.name = std::move(name);
  out.type = type;
  out.optional = true;
  return out;
}

inline schema::Attribute nested(std::string name, schema::Nesting nesting,
                                std::vector<schema::Attribute> attributes) {
  schema::Attribute out;
  out.name = std::move(name);
  auto type = std::make_shared<schema::NestedType>();
  type->attributes = std::move(attributes);
  type->nesting = nesting;
  out.type = schema::type_of(*type).without_optional_attributes();
  out.nested = std::move(type);
  return out;
}

inline schema::NestedBlock nested_block(std::string name, schema::Nesting nesting,
                                        schema::Block block) {
  schema::NestedBlock out;
  out.name = std::move(name);
  out.block = std::make_shared<schema::Block>(std::move(block));
  out.nesting = nesting;
  return out;
}

inline schema::Block block_of(std::vector<schema::Attribute> attributes,
                              std::vector<schema::NestedBlock> blocks = {}) {
  schema::Block out;
  out.attributes = std::move(attributes);
  out.blocks = std::move(blocks);
  return out;
}

// The text of a change by a schema. `replace` are paths that force replacement.
inline std::string block_text(const Value& before, const Value& after, const schema::Block& schema,
                              const std::vector<value::Path>& replace = {},
                              const DiffTextOptions& options = {}) {
  base::Arena arena;
  const PlainValue old = plain_value(arena, before, schema);
  const PlainValue now = plain_value(arena, after, schema);
  DiffInput input{&old, &now};
  input.replace = PathFilter::of(replace, false);
  return diff_text(diff_block(input, schema), options);
}

// The same of a value without a schema, as outputs are shown.
inline std::string dynamic_text(const Value& before, const Value& after,
                                const DiffTextOptions& options = {}) {
  base::Arena arena;
  const PlainValue old = plain_value(arena, before);
  const PlainValue now = plain_value(arena, after);
  return diff_text(diff_dynamic(DiffInput{&old, &now}), options);
}

}  // namespace tofu::views
