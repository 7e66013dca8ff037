// Values in JSON documents: themselves, which parts are unknown, which sensitive.
//
// Three documents of one shape, as OpenTofu's plans have them. Parts that are
// neither unknown nor sensitive are omitted from objects, not from arrays.
#pragma once

#include "base/json_writer.h"
#include "views/plain_value.h"

namespace tofu::documents {

// Without unknown values: omitted from objects, null in arrays. Not for a value that is unknown as
// a whole.
void write_known(base::JsonWriter& json, const views::PlainValue& v);
// true where something is unknown.
void write_unknown(base::JsonWriter& json, const views::PlainValue& v);
// true where something is sensitive.
void write_sensitive(base::JsonWriter& json, const views::PlainValue& v);

// Whether it is an object of which something is known. Others have no `values`.
bool has_known_members(const views::PlainValue& v);

// Whether something is unknown at any depth.
bool has_unknown(const views::PlainValue& v);

}  // namespace tofu::documents
