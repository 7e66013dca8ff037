// The configuration of an object that is imported without one, as source text.
//
// Every argument that an author could set is written with the value it has now, so that a plan with
// it has nothing to change. Computed and deprecated attributes are omitted. Secrets are not
// written: `null # sensitive` stands for them. The text is laid out as fmt would.
#pragma once

#include <string>
#include <string_view>

#include "schema/schema.h"
#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::schema {

struct GeneratedResource {
  std::string_view type;
  std::string_view name;
  std::string_view provider;  // `aws.west`; empty if it follows from the type
  // Whether the object is a configuration already, as a provider generates it: then only what is
  // null is omitted, and nothing is guessed.
  bool is_config = false;
};

// A `resource` block, without a line break at its end. `object` conforms to the schema,
// has no marks, and is not null.
std::string generated_config(const GeneratedResource& resource, const Block& schema,
                             const value::Value& object);

// The arguments that such a block sets, as a plan with the written file would read it: without
// secrets, and without what only the provider sets. `scope` has the built-in functions.
value::Value generated_arguments(const GeneratedResource& resource, const Block& schema,
                                 const value::Value& object, const syntax::Scope& scope);

// The header of a file of generated blocks.
std::string generated_file_header();
// One of them with its comment. `import_id` may be empty.
std::string generated_entry(std::string_view config, std::string_view import_id);

}  // namespace tofu::schema
