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
#include <vector>

namespace tofu::diag {

// Finds the escaped line feeds of a JSON text once, so that each place costs only a
// binary search: a file of one long line may have an error in each of its strings.
class EscapedNewlines {
 public:
  EscapedNewlines() = default;
  explicit EscapedNewlines(std::string_view text);

  // How many escaped line feeds come before the byte `at` in the string that holds it;
  // 0 outside of strings, and from the first malformed string of a line on.
  std::uint32_t before(std::size_t at) const;

 private:
  // A string with at least one escaped line feed.
  struct JsonString {
    std::size_t open;   // its opening quote
    std::size_t close;  // its closing quote, or the end of the line
    std::size_t first;  // index of its first line feed
  };

  void add_line(std::string_view text, std::size_t begin, std::size_t end);

  std::vector<JsonString> strings_;
  std::vector<std::size_t> newlines_;  // opening quote + 1 + offset in the text that it stands for
};

}  // namespace tofu::diag
