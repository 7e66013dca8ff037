// How MessagePack carries a value that is not known yet.
//
// A plain unknown is an extension of type 0 with one zero byte. One of which
// something is known is an extension of type 12 holding a map from small
// numbers to refinements. Both are the provider protocol's, byte for byte.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "value/msgpack_bytes.h"
#include "value/number.h"
#include "value/value.h"

namespace tofu::value {

void append_number(std::string& out, const Number& number);
// A number in any of its forms; nothing if there is none.
std::optional<Number> read_number(msgpack::Reader& reader);

void append_unknown(std::string& out, const Plain& unknown);
// The unknown of `type` that an extension stands for, which may turn out to be
// a known value.
base::Result<Value> parse_unknown(const msgpack::Reader::Extension& extension, Type type);

}  // namespace tofu::value
