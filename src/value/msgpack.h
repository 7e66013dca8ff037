// Values as MessagePack, the encoding of the provider protocol and plan files.
//
// Unknown values are extension type 0; refined unknowns extension type 12 with
// a map of refinements. Numbers that no MessagePack type holds exactly are
// decimal strings. Input is not trusted.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "value/path.h"
#include "value/type.h"
#include "value/value.h"

namespace tofu::value {

PathResult<std::string> to_msgpack(const Value& v, Type type);  // v has no marks
// Parts that one of `alike` has in the same place are shared with it: a provider's response repeats
// most of the request. The first two are looked at.
PathResult<Value> parse_msgpack(std::string_view bytes, Type type,
                                std::span<const Value> alike = {});
// The type that the encoding itself implies.
base::Result<Type> implied_msgpack_type(std::string_view bytes);

}  // namespace tofu::value
