// Hashing for the tables and caches of this component.
//
// Fast and well mixed; the same within one process only, so a hash must never
// be written down or decide an order that a user can see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tofu::value {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9E3779B97F4A7C15u) * (b ^ 0xD6E8FEB86659FD93u);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  while (left > 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = mix(hash ^ word, 0xA0761D6478BD642Fu);
    at += 8;
    left -= 8;
  }
  std::uint64_t tail = 0;
  if (left != 0) std::memcpy(&tail, at, left);
  return mix(hash ^ tail, 0xE7037ED1A0B428DBu);
}

// ASCII text is in normal form as it stands, which spares it every Unicode call.
inline bool is_plain_ascii(std::string_view text) {
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    if ((word & 0x8080808080808080u) != 0) return false;
  }
  for (; left != 0; ++at, --left) {
    if ((static_cast<unsigned char>(*at) & 0x80u) != 0) return false;
  }
  return true;
}

}  // namespace tofu::value
