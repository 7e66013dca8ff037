// How large a single value may become, and what to say of one that is larger.
//
// Text that is put into itself a few dozen times, a list joined with itself, or a
// document written out of shared parts outgrows every memory. Whatever makes text
// or elements by the content of its input, and not by its number of bytes, asks
// before it grows; syntax::call() looks at every result of a function once more.
//
// OpenTofu has no such limit; it ends when memory does. No provider accepts a
// message as large as these. Under a sanitizer, where memory costs many times as
// much, they are a sixteenth.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/memory.h"
#include "value/value.h"

namespace tofu::value {

// Bytes of a string.
inline constexpr std::size_t kMaxTextSize = std::size_t{base::kMemoryIsChecked ? 16 : 256} << 20;
// Of a collection or structure.
inline constexpr std::size_t kMaxElements = std::size_t{1} << (base::kMemoryIsChecked ? 20 : 24);

// Clauses without a final period.
std::string text_too_long();
std::string too_many_elements();

// The clause that applies to `v` itself; what is inside it was looked at before.
std::optional<std::string> size_problem(const Value& v);

}  // namespace tofu::value
