#include "schema/consistency.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/unicode.h"
#include "schema/findings.h"
#include "schema/members.h"
#include "value/convert.h"
#include "value/operations.h"

namespace tofu::schema {

namespace {

using value::Path;
using value::PathError;
using value::PathResult;
using value::Type;
using value::TypeKind;
using value::Value;

void compare_types(Type given, Type want, Findings& findings) {
  if (conforms(given, want)) return;
  if (given.kind() != TypeKind::Object || want.kind() != TypeKind::Object) {
    findings.add([&] { return value::mismatch_message(given, want); });
    return;
  }
  for (const value::ObjectAttribute& attribute : want.attributes()) {
    const auto index = given.attribute_index(attribute.name);
    if (!index) {
      findings.add([&] {
        return fmt::format("the attribute {} is missing", base::quote_go(attribute.name));
      });
      continue;
    }
    findings.at(attribute.name,
                [&] { compare_types(given.attributes()[*index].type, attribute.type, findings); });
  }
  for (const value::ObjectAttribute& attribute : given.attributes()) {
    if (want.attribute_index(attribute.name)) continue;
    findings.add([&] {
      return fmt::format("the schema has no attribute {}", base::quote_go(attribute.name));
    });
  }
}

}  // namespace

std::vector<PathError> check_conforms(Type type, const Value& v) {
  Findings findings({});
  // An object type is left alone only for what is inside it, so this is no deeper than
  // the schema's type.
  compare_types(v.type(), type, findings);
  return std::move(findings).all();
}

std::vector<Path> unknown_parts(const Value& v) {
  std::vector<Path> found;
  if (v.wholly_known()) return found;
  const auto note = [](void* context, const Path& path, const Value& part) -> PathResult<Value> {
    if (part.is_unknown()) static_cast<std::vector<Path>*>(context)->push_back(path);
    return part;
  };
  static_cast<void>(value::transform(v, note, &found));
  return found;
}

Value unknown_as_null(const Value& v) {
  if (v.wholly_known()) return v;
  const auto replace = [](void*, const Path&, const Value& part) -> PathResult<Value> {
    if (part.is_unknown()) return Value::null(part.type());
    return part;
  };
  PathResult<Value> result = value::transform(v, replace, nullptr);
  TOFU_CHECK(result, "replacing unknowns cannot fail");
  return *std::move(result);
}

namespace {

bool has_open_type(const Block& block) {
  return std::ranges::any_of(block.attributes,
                             [](const Attribute& a) { return a.type.has_dynamic(); }) ||
         std::ranges::any_of(block.blocks,
                             [](const NestedBlock& b) { return has_open_type(*b.block); });
}

Value unknown_block(const Block& block);

Value unknown_blocks(const NestedBlock& nested) {
  switch (nested.nesting) {
    case Nesting::Single:
    case Nesting::Group: return unknown_block(*nested.block);
    case Nesting::List: return Value::list(Type::dynamic(), {unknown_block(*nested.block)});
    case Nesting::Set: return Value::set(Type::dynamic(), {unknown_block(*nested.block)});
    case Nesting::Map: return empty_value(nested);  // the keys are not known
  }
  base::broken_promise("a nesting out of range");
}

// A block that is there, with every argument unknown: there is no unknown block.
Value unknown_block(const Block& block) {
  std::vector<value::Attr> parts;
  Members(block).each([&](std::size_t, const Attribute* attribute, const NestedBlock* nested) {
    if (attribute != nullptr) {
      parts.push_back(
          {attribute->name, Value::unknown(attribute->type.without_optional_attributes())});
    } else {
      parts.push_back({nested->name, unknown_blocks(*nested)});
    }
  });
  return Value::object(std::move(parts));
}

Value normalized_blocks(const NestedBlock& nested, const Value& v) {
  // The legacy SDK has neither attributes of any type nor blocks with keys.
  if (nested.nesting == Nesting::Map || has_open_type(*nested.block)) return v;
  if (v.is_unknown()) return unknown_blocks(nested);
  if (v.is_null()) return empty_value(nested);
  if (is_one_object(nested.nesting)) return normalized_legacy(*nested.block, v);
  Edited result(v);
  for (const Value& item : v.unmarked().items()) result.add(normalized_legacy(*nested.block, item));
  return std::move(result).result();
}

}  // namespace

Value normalized_legacy(const Block& schema, const Value& v) {
  if (v.is_null()) return Value::null(schema.implied_type());
  if (v.is_unknown()) return v;
  Edited result(v);
  Members(schema).each([&](std::size_t i, const Attribute*, const NestedBlock* nested) {
    const Value& part = v.unmarked().items()[i];
    result.add(nested == nullptr ? part : normalized_blocks(*nested, part));
  });
  return std::move(result).result();
}

}  // namespace tofu::schema
