#include "schema/deprecated.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "value/marks.h"

namespace tofu::schema {

namespace {

using value::Value;

bool contains_deprecated(const std::vector<Attribute>& attributes) {
  return std::ranges::any_of(attributes, [](const Attribute& attribute) {
    return attribute.deprecated ||
           (attribute.nested && contains_deprecated(attribute.nested->attributes));
  });
}

bool has_marks(const std::vector<Attribute>& attributes) {
  return std::ranges::any_of(attributes, [](const Attribute& attribute) {
    return attribute.deprecated || attribute.sensitive ||
           (attribute.nested && has_marks(attribute.nested->attributes));
  });
}

// Whether values of the block have marks, so that OpenTofu adds those of the block itself.
bool has_marks(const Block& schema) {
  return has_marks(schema.attributes) ||
         std::ranges::any_of(schema.blocks,
                             [](const NestedBlock& nested) { return has_marks(*nested.block); });
}

Value marked(Value v, bool deprecated, const std::string& source, const std::string& message) {
  if (!deprecated) return v;
  return v.with_marks(value::Marks::deprecated({source, message}));
}

bool is_repeated(Nesting nesting) {
  return nesting == Nesting::List || nesting == Nesting::Set || nesting == Nesting::Map;
}

// A collection in which `one` stands for all.
Value collection_of(Nesting nesting, Value one) {
  switch (nesting) {
    case Nesting::Single:
    case Nesting::Group: return one;
    case Nesting::List: return Value::tuple({std::move(one)});
    // Elements of a set have no marks of their own.
    case Nesting::Set: return Value::unknown().with_marks(one.deep_marks());
    case Nesting::Map: return Value::object({{"any", std::move(one)}});
  }
  base::broken_promise("every nesting is there");
}

void add_attributes(const std::vector<Attribute>& attributes, const std::string& source,
                    std::vector<value::Attr>& parts) {
  for (const Attribute& attribute : attributes) {
    const std::string here = source + '.' + attribute.name;
    Value v = Value::unknown(attribute.type.without_optional_attributes());
    if (attribute.nested && contains_deprecated(attribute.nested->attributes)) {
      const Nesting nesting = attribute.nested->nesting;
      std::vector<value::Attr> inside;
      add_attributes(attribute.nested->attributes, is_repeated(nesting) ? here + "[*]" : here,
                     inside);
      v = collection_of(nesting, Value::object(std::move(inside)));
    }
    parts.push_back({attribute.name, marked(std::move(v), attribute.deprecated, here,
                                            attribute.deprecation_message)});
  }
}

}  // namespace

bool contains_deprecated(const Block& schema) {
  return (schema.deprecated && has_marks(schema)) || contains_deprecated(schema.attributes) ||
         std::ranges::any_of(schema.blocks, [](const NestedBlock& nested) {
           return contains_deprecated(*nested.block);
         });
}

Value unknown_value_of_deprecated(const Block& schema, const std::string& address) {
  std::vector<value::Attr> parts;
  add_attributes(schema.attributes, address, parts);
  for (const NestedBlock& nested : schema.blocks) {
    const std::string here = address + '.' + nested.name;
    Value one = unknown_value_of_deprecated(*nested.block,
                                            is_repeated(nested.nesting) ? here + "[*]" : here);
    parts.push_back({nested.name, collection_of(nested.nesting, std::move(one))});
  }
  return marked(Value::object(std::move(parts)), schema.deprecated && has_marks(schema), address,
                schema.deprecation_message);
}

}  // namespace tofu::schema
