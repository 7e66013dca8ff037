// The configuration of an object that is imported without one, as source text.
//
// Every argument that an author could set is written with the value it has now, so that
// a plan with it has nothing to change. What only the provider sets is left out, and so
// is what is deprecated. Secrets are not written: `null # sensitive` stands for them.
// The text is laid out as fmt would.
#pragma once

#include <string>
#include <string_view>

#include "schema/schema.h"
#include "value/value.h"

namespace tofu::schema {

struct GeneratedResource {
  std::string_view type;
  std::string_view name;
  std::string_view provider;  // `aws.west`; empty if it follows from the type
};

// A `resource` block, without a line break at its end. `object` conforms to the schema,
// has no marks, and is not null.
std::string generated_config(const GeneratedResource& resource, const Block& schema,
                             const value::Value& object);

// The object that such a block stands for: without what only the provider sets.
value::Value configurable_part(const Block& schema, const value::Value& object);

// What a file of generated blocks begins with.
std::string generated_file_header();
// One of them with its comment. `import_id` may be empty.
std::string generated_entry(std::string_view config, std::string_view import_id);

}  // namespace tofu::schema
