// How a string is written inside JSON text, and how its escapes are read.
//
// The escapes are those of Go's encoding/json, because state files, plan files and jsonencode are
// compared byte for byte with what OpenTofu writes. Nothing here knows of values; json_writer.h and
// the codecs of higher components write whole documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tofu::base {

// Appends `text` with its quotes. `escape_html` also escapes <, > and &, which
// is what Go does by default. U+2028 and U+2029 are always escaped and
// every byte that is not valid UTF-8 becomes \ufffd.
void append_json_string(std::string& out, std::string_view text, bool escape_html = true);

enum class JsonEscape : std::uint8_t { Read, Unknown, BadDigit };

// Reads the escape at `at` in `text`, which is behind the backslash, and appends what it
// stands for. Two surrogates are one character, a lone one is U+FFFD. `at` is then
// behind the escape, or at what is wrong with it.
JsonEscape read_json_escape(std::string_view text, std::size_t& at, std::string& out);

}  // namespace tofu::base
