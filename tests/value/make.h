// Short names for making values in tests.
//
// Whole numbers are made as lengths and indexes are (64 bits), decimals as
// literals are (512 bits). Nothing here checks anything.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "value/value.h"

namespace tofu::value {

inline Value num(std::int64_t whole) { return Value::integer(whole); }
inline Value dec(std::string_view text) { return Value::number(Number::parse(text).value()); }
inline Value str(std::string_view text) { return Value::string(text); }
inline Value tuple(std::vector<Value> items) { return Value::tuple(std::move(items)); }
inline Value object(std::vector<Attr> attributes) { return Value::object(std::move(attributes)); }

}  // namespace tofu::value
