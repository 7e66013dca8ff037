// Character encodings other than UTF-8, for textencodebase64 and
// textdecodebase64.
//
// Encodings go by their IANA names and aliases. The characters themselves come
// from the C library's iconv, once per encoding; what differs from the tables
// that OpenTofu is built with (those of the WHATWG standard) is corrected here.
// Known gap: private-use characters in GB18030.
//
// Promise: nothing is ever replaced or dropped. A character that cannot be represented is an error,
// in both directions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tofu::functions {

class Charset {
 public:
  virtual ~Charset() = default;
  // From UTF-8. Nothing if a character cannot be represented.
  virtual std::optional<std::string> encode(std::string_view text) const = 0;
  // To UTF-8. Nothing if the bytes are not text in this encoding.
  virtual std::optional<std::string> decode(std::string_view bytes) const = 0;
};

// The canonical name for a name or alias, in any case and with spaces around it.
// Nothing if there is no such encoding.
std::optional<std::string_view> charset_name(std::string_view name);

// `canonical` is from charset_name(). Takes a few milliseconds for the encodings
// of East Asia. Null if the C library does not know the characters.
std::unique_ptr<const Charset> make_charset(std::string_view canonical);

}  // namespace tofu::functions
