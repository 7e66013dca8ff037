#include "syntax/binary_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/unicode.h"

namespace tofu::syntax {
namespace {

// The first byte that text does not have, if there are so many of them that the file is no text
// with a few errors in it. Only the beginning of the file is examined.
std::optional<std::uint32_t> find_binary(std::string_view text) {
  constexpr std::size_t kMaxExamined = 64 * 1024;
  constexpr std::size_t kMaxNulls = 10;
  text = text.substr(0, kMaxExamined);
  std::optional<std::uint32_t> first;
  std::size_t nulls = 0;
  std::size_t others = 0;
  for (std::size_t at = 0; at < text.size();) {
    const base::Decoded next = base::decode_utf8(text.substr(at));
    const bool is_broken = next.code == base::kReplacement && next.length == 1;
    const bool is_control = next.code < 0x20 && !(next.code >= '\t' && next.code <= '\r');
    if (is_broken || is_control) {
      if (!first) first = static_cast<std::uint32_t>(at);
      ++(next.code == 0 ? nulls : others);
    }
    at += next.length;
  }
  const std::size_t third = std::max<std::size_t>(text.size() / 3, kMaxNulls);
  return nulls > kMaxNulls || nulls + others > third ? first : std::nullopt;
}

}  // namespace

diag::Checked<void> check_is_text(std::string_view text, diag::SourceRange at,
                                  diag::Diagnostics& diags) {
  const auto byte = find_binary(text);
  if (!byte) return true;
  diags.error("File is not text")
      .detail(
          "The file contains bytes that do not occur in text, first at this position. "
          "Configuration files must be UTF-8 text. Save the file as UTF-8, or remove it if it is "
          "not a configuration file.")
      .at(diag::part_of(at, *byte, *byte + 1));
  return false;
}

}  // namespace tofu::syntax
