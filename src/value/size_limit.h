// Size limits of a single value, and the error for a larger one.
//
// Text that is put into itself a few dozen times, a list joined with itself, or a document written
// out of shared parts outgrows every memory. Code that makes text or elements by the content of its
// input, and not by its number of bytes, checks the limit before it grows; syntax::call() looks at
// every result of a function once more.
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

// Of a value with all that is inside it, each part as often as it occurs, and of what one
// evaluation of an expression makes in all.
inline constexpr std::size_t kMaxAllElements = 8 * kMaxElements;
// The same of text: bytes that one evaluation makes in all.
inline constexpr std::size_t kMaxAllText = 8 * kMaxTextSize;

// Clauses without a final period.
std::string text_too_long();
std::string too_many_elements();
std::string too_many_in_all();

// The clause that applies to `v`.
std::optional<std::string> size_problem(const Value& v);

}  // namespace tofu::value
