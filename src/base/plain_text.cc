#include "base/plain_text.h"

#include <cstdint>
#include <cstring>

namespace tofu::base {

namespace {

// Sixteen bytes that are compared at once, on every processor that can.
using Bytes = unsigned char __attribute__((vector_size(16)));

Bytes load(const char* from) {
  Bytes bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

// Not zero in every byte that may need an escape.
auto odd_bytes(Bytes bytes) {
  return (bytes < 0x20) | (bytes > 0x7E) | (bytes == '"') | (bytes == '\\') | (bytes == '<') |
         (bytes == '>') | (bytes == '&');
}

}  // namespace

std::size_t plain_text_detail::plain_steps(std::string_view text) {
  std::size_t at = 0;
  for (; at + kPlainStep <= text.size(); at += kPlainStep) {
    const char* here = text.data() + at;
    const auto odd = odd_bytes(load(here)) | odd_bytes(load(here + sizeof(Bytes)));
    std::uint64_t halves[2];
    static_assert(sizeof halves == sizeof odd);
    std::memcpy(halves, &odd, sizeof odd);
    if ((halves[0] | halves[1]) != 0) break;
  }
  return at;
}

}  // namespace tofu::base
