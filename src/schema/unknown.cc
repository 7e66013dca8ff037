#include <utility>
#include <vector>

#include "schema/schema.h"
#include "value/marks.h"

namespace tofu::schema {

using value::Value;

Value unknown_value(const Block& schema) {
  bool marked = schema.ephemeral;
  for (const Attribute& attribute : schema.attributes) marked |= attribute.sensitive;
  Value whole = Value::unknown(schema.implied_type());
  if (!marked) return whole;
  std::vector<value::Attr> parts;
  for (const value::ObjectAttribute& part : whole.type().attributes()) {
    Value inside = Value::unknown(part.type);
    const Attribute* attribute = schema.attribute(part.name);
    if (attribute != nullptr && attribute->sensitive) {
      inside = inside.with_marks(value::Marks::sensitive());
    }
    parts.push_back({std::string(part.name), std::move(inside)});
  }
  whole = Value::object(std::move(parts));
  return schema.ephemeral ? whole.with_marks(value::Marks::ephemeral()) : whole;
}

}  // namespace tofu::schema
