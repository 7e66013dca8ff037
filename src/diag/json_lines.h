// Lines inside JSON strings.
//
// A template in a JSON string is read as the text that the string stands for, and a
// place in it is the place of the string and so many bytes of that text. As in
// OpenTofu an escaped line feed begins a new line there, although the file goes on in
// the same one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tofu::diag {

// How many escaped line feeds stand before the byte `at` of `line`, a line of JSON text;
// 0 outside of strings and in one that is not well-formed.
std::uint32_t escaped_newlines_before(std::string_view line, std::size_t at);

}  // namespace tofu::diag
