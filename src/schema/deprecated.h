// Marks the parts of a value that the schema calls deprecated.
//
// Only for finding out where something deprecated is used: the value is as little known as
// can be, and of nested blocks and attributes that may be repeated one stands for all.
#pragma once

#include <string>

#include "schema/schema.h"
#include "value/value.h"

namespace tofu::schema {

// Whether the block itself, or anything in it, is deprecated. As in OpenTofu 1.12, a block that is
// deprecated as a whole counts only if something in it is deprecated or sensitive: uses of other
// such types are not warned of, their declarations are, by the provider.
bool contains_deprecated(const Block& schema);

// An object of the schema. Marks name their source by `address` and the way to it:
// six_old.a, six_old.a.remark, six_old.a.rule[*].port.
value::Value unknown_value_of_deprecated(const Block& schema, const std::string& address);

}  // namespace tofu::schema
