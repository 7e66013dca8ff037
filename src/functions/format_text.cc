#include "functions/format_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/ascii.h"
#include "base/counted.h"
#include "base/unicode.h"
#include "functions/errors.h"
#include "value/size_limit.h"

namespace tofu::functions {

using syntax::argument_error;
using syntax::CallError;
using syntax::CallResult;
using value::Value;

namespace {

constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40;  // more digits than this mean no more

bool read_flag(char c, FormatVerb& verb) {
  switch (c) {
    case '0': return verb.zero = true;
    case '#': return verb.sharp = true;
    case '-': return verb.minus = true;
    case '+': return verb.plus = true;
    case ' ': return verb.space = true;
    default: return false;
  }
}

std::uint64_t read_digits(std::string_view text, std::size_t& at) {
  std::uint64_t count = 0;
  for (; at < text.size() && base::is_ascii_digit(text[at]); ++at) {
    count = std::min(count * 10 + static_cast<std::uint64_t>(text[at] - '0'), kMaxCount);
  }
  return count;
}

// Widths and indexes do not begin with a zero.
bool starts_count(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '1' && text[at] <= '9';
}

}  // namespace

FormatString::FormatString(std::string_view text) {
  std::size_t literal_start = 0;
  std::size_t at = 0;
  while (true) {
    at = text.find('%', at);
    if (at == text.npos) break;
    if (text.substr(at + 1).starts_with('%')) {
      pieces_.push_back({text.substr(literal_start, at + 1 - literal_start), std::nullopt});
      at += 2;
      literal_start = at;
      continue;
    }
    pieces_.push_back({text.substr(literal_start, at - literal_start), std::nullopt});
    if (!read_verb(text, at, at)) return;
    literal_start = at;
  }
  if (literal_start < text.size()) pieces_.push_back({text.substr(literal_start), std::nullopt});
}

void FormatString::unexpected(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    fault_ = "the format string ends in the middle of a verb";
    return;
  }
  const std::string_view rest = text.substr(at);
  fault_ = fmt::format("\"{}\" at offset {} of the format string cannot be part of a verb",
                       rest.substr(0, base::decode_utf8(rest).length), at);
}

// Sets `at` to what follows the verb. False if it is faulty.
bool FormatString::read_verb(std::string_view text, std::size_t start, std::size_t& at) {
  FormatVerb verb;
  verb.position = next_position_;
  at = start + 1;
  while (at < text.size() && read_flag(text[at], verb)) ++at;
  if (starts_count(text, at)) verb.width = read_digits(text, at);
  if (at < text.size() && text[at] == '.') verb.precision = read_digits(text, ++at);
  if (at < text.size() && text[at] == '[') {
    if (!starts_count(text, ++at)) return unexpected(text, at), false;
    verb.position = read_digits(text, at);
    if (at >= text.size() || text[at] != ']') return unexpected(text, at), false;
    ++at;
  }
  if (at >= text.size() || !base::is_ascii_letter(text[at])) return unexpected(text, at), false;
  verb.letter = text[at++];
  verb.raw = text.substr(start, at - start);
  verb.offset = start;
  next_position_ = verb.position + 1;
  highest_position_ = std::max(highest_position_, verb.position);
  pieces_.back().verb = verb;
  return true;
}

CallResult<std::string> FormatString::apply(std::span<const Value> values) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    out += piece.literal;
    if (!piece.verb) continue;
    const FormatVerb& verb = *piece.verb;
    if (verb.position > values.size()) {
      return call_error(fmt::format("\"{}\" at offset {} requires value {}, but only {} were given",
                                    verb.raw, verb.offset, verb.position, values.size()));
    }
    auto text = format_value(verb, values[verb.position - 1]);
    if (!text) {
      return call_error(fmt::format("the value for \"{}\" at offset {} is not suitable: {}",
                                    verb.raw, verb.offset, text.error().what));
    }
    out += *text;
    if (out.size() > value::kMaxTextSize) return call_error(value::text_too_long());
  }
  if (fault_) return call_error(*fault_);
  if (highest_position_ < values.size()) {
    return argument_error(highest_position_ + 1,
                          fmt::format("{} to format, of which the format string uses only {}",
                                      base::counted(values.size(), "value"), highest_position_));
  }
  return out;
}

}  // namespace tofu::functions
