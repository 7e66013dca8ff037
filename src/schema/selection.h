// The attributes of a schema that have some property (they are sensitive, say), and
// where they are in a value.
//
// Worked out once for a schema, so that asking about a value costs nothing where the
// schema has no such attribute, and no more than the objects that may hold one where
// it has. Nested attributes inside a chosen nested attribute are not looked at.
//
// Threads: only read after it was made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schema/schema.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::schema {

class Selection {
 public:
  using Choose = bool (*)(const Attribute&);

  Selection() = default;
  Selection(const Block& schema, Choose choose);

  bool empty() const { return parts_.empty(); }

  // `v` conforms to the schema and may have marks. An attribute inside something that is
  // null or unknown is nowhere.
  std::vector<value::Path> paths(const value::Value& v) const;

  // `v` with change(value) in place of the value of each chosen attribute. Unchanged parts are
  // shared.
  using Change = value::Value (*)(const value::Value&);
  value::Value changed(const value::Value& v, Change change) const;

  struct Part;  // of an object: chosen, or with chosen ones inside

 private:
  std::vector<Part> parts_;  // by position
};

struct Selection::Part {
  std::size_t position;
  bool chosen = false;
  Nesting nesting = Nesting::Single;  // of the objects that `inside` is about
  std::vector<Part> inside = {};
};

Selection sensitive_attributes(const Block& schema);
Selection write_only_attributes(const Block& schema);
// Attributes that only the provider sets.
Selection computed_only_attributes(const Block& schema);

}  // namespace tofu::schema
