// A format string, read once and applied to any number of rows of values.
//
// The syntax is that of OpenTofu's format(): % flags width .precision [index]
// letter, in this order, and %% for a percent sign. Width and precision of text
// count characters (grapheme clusters).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "syntax/function.h"
#include "value/value.h"

namespace tofu::functions {

struct FormatVerb {
  std::string_view raw;        // as written
  std::size_t offset = 0;      // where it stands in the format string, in bytes
  std::uint64_t position = 1;  // of the value to format, from 1
  char letter = 0;
  bool zero = false;
  bool sharp = false;
  bool plus = false;
  bool minus = false;
  bool space = false;
  std::optional<std::uint64_t> width;
  std::optional<std::uint64_t> precision;
};

class FormatString {
 public:
  // `text` outlives this. apply() reports errors in it, because a format that is never applied is
  // no error.
  explicit FormatString(std::string_view text);

  // An error about a surplus value names its position, from 1: that is its
  // position among the arguments of format() itself.
  syntax::CallResult<std::string> apply(std::span<const value::Value> values) const;

 private:
  struct Piece {
    std::string_view literal;
    std::optional<FormatVerb> verb;  // what comes after the literal
  };
  bool read_verb(std::string_view text, std::size_t start, std::size_t& at);
  void unexpected(std::string_view text, std::size_t at);

  std::vector<Piece> pieces_;
  std::uint64_t next_position_ = 1;
  std::uint64_t highest_position_ = 0;
  std::optional<std::string> fault_;
};

// One value as a verb wants it.
base::Result<std::string> format_value(const FormatVerb& verb, const value::Value& v);

}  // namespace tofu::functions
