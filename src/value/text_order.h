// Sorting many things by a text of each.
//
// The first bytes of every text are gathered in one array, so that most
// comparisons touch no other memory: a million keys sort several times faster
// than by following pointers. Equal texts keep their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tofu::value {

struct TextKey {
  std::uint64_t first = 0;   // eight bytes, the first one most significant
  std::uint64_t second = 0;  // the next eight
  std::uint32_t place = 0;
};

inline std::uint64_t leading_bytes(std::string_view text) {
  std::uint64_t word = 0;
  if (!text.empty()) std::memcpy(&word, text.data(), std::min<std::size_t>(text.size(), 8));
  return __builtin_bswap64(word);  // our machines are little-endian
}

// The order of places 0…count-1 by text_at(place).
template <class TextAt>
std::vector<TextKey> text_order(std::size_t count, TextAt&& text_at) {
  std::vector<TextKey> keys(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view text = text_at(i);
    keys[i].first = leading_bytes(text);
    if (text.size() > 8) keys[i].second = leading_bytes(text.substr(8));
    keys[i].place = static_cast<std::uint32_t>(i);
  }
  // Keys that come half in order, as counted names do, are what a merge is best
  // at and a quicksort worst.
  std::ranges::stable_sort(keys, [&](const TextKey& a, const TextKey& b) {
    if (a.first != b.first) return a.first < b.first;
    if (a.second != b.second) return a.second < b.second;
    return text_at(a.place) < text_at(b.place);  // zero bytes and ends look alike so far
  });
  return keys;
}

// The parts in that order. They are gathered into new memory: to shuffle them in
// place would wait for memory at every step.
template <class Part>
std::vector<Part> reordered(std::span<Part> parts, const std::vector<TextKey>& keys) {
  std::vector<Part> sorted;
  sorted.reserve(parts.size());
  for (const TextKey& key : keys) sorted.push_back(std::move(parts[key.place]));
  return sorted;
}

}  // namespace tofu::value
