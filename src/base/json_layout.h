// JSON text in another layout: without white space, or indented.
//
// For texts that are kept as text, such as the attributes of a state file: they
// are checked once when they come in, kept compact, and indented on the way out.
// Both directions equal Go's json.Compact (with its escapes for HTML) and
// json.Indent byte for byte. Strings are not decoded: bytes that are not UTF-8
// stay as they are.
//
// Promise: no recursion, one pass, never a read beyond the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::base {

// Go's decoder refuses documents that are nested deeper.
inline constexpr std::size_t kMaxJsonDepth = 10'000;

struct JsonFault {
  std::size_t offset;  // of the byte that does not fit, or the length of the text
  std::string what;    // a clause: "the text ends inside a string"
};

// Appends the one value that `text` holds, with white space removed and <, >, &, U+2028 and U+2029
// escaped. After an error `out` holds a part of it.
Result<void, JsonFault> append_compact_json(std::string& out, std::string_view text);

// The same in place, for texts that are too large to have twice. After an error, whose offset is in
// the original text, `text` is unusable.
Result<void, JsonFault> compact_json(std::string& text);

// The end of the value that begins at `at`. `text` came from append_compact_json.
std::size_t json_value_end(std::string_view text, std::size_t at);

// Indents compact text that arrives in pieces; a piece ends wherever it likes.
class JsonIndenter {
 public:
  // Appends to `out`, which must outlive the indenter and may be emptied between
  // the calls.
  JsonIndenter(std::string& out, std::string_view indent) : out_(out), indent_(indent) {}

  void append(std::string_view compact);

 private:
  void new_line();

  std::string& out_;
  std::string_view indent_;  // a literal of the caller
  std::string line_ = "\n";  // a new line and indentation for the deepest so far
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool after_backslash_ = false;
  bool just_opened_ = false;
};

}  // namespace tofu::base
