#include "base/suggest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/unicode.h"

namespace tofu::base {

namespace {

constexpr std::size_t kFarthest = 2;

std::u32string code_points(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const Decoded decoded = decode_utf8(text);
    out += decoded.code;
    text.remove_prefix(decoded.length);
  }
  return out;
}

template <class Name>
std::string_view first_near(std::string_view given, std::span<const Name> names) {
  for (const Name& name : names) {
    if (edit_distance(given, name, kFarthest) <= kFarthest) return name;
  }
  return {};
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  // A code point has at most four bytes, so very different byte lengths settle it.
  if (a.size() > 4 * (b.size() + limit) || b.size() > 4 * (a.size() + limit)) return limit + 1;
  const std::u32string left = code_points(a);
  const std::u32string right = code_points(b);
  if (std::max(left.size(), right.size()) - std::min(left.size(), right.size()) > limit) {
    return limit + 1;
  }
  // Only cells within `limit` of the diagonal can lie on a short enough way.
  std::vector<std::size_t> above(right.size() + 1, limit + 1);
  std::vector<std::size_t> row(right.size() + 1, limit + 1);
  for (std::size_t j = 0; j <= std::min(right.size(), limit); ++j) above[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    const std::size_t from = i > limit ? i - limit : 0;
    const std::size_t to = std::min(right.size(), i + limit);
    if (from > 0) row[from - 1] = limit + 1;
    for (std::size_t j = from; j <= to; ++j) {
      if (j == 0) {
        row[0] = i;
        continue;
      }
      const std::size_t replaced = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1, limit + 1});
    }
    if (to < right.size()) row[to + 1] = limit + 1;
    std::swap(above, row);
  }
  return std::min(above[right.size()], limit + 1);
}

std::string_view nearest_name(std::string_view given, std::span<const std::string_view> names) {
  return first_near(given, names);
}

std::string_view nearest_name(std::string_view given, std::span<const std::string> names) {
  return first_near(given, names);
}

std::string did_you_mean(std::string_view given, std::span<const std::string_view> names) {
  const std::string_view near = nearest_name(given, names);
  return near.empty() ? std::string() : " Did you mean " + quote_go(near) + "?";
}

}  // namespace tofu::base
