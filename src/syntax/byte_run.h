// How far runs of plain bytes go: names, blanks, literal text.
//
// Most bytes of a source are in such runs. Where the processor can (SSE2, which
// every x86-64 has), sixteen bytes are looked at in one step, so that short runs
// cost no mispredicted branch; elsewhere a loop does the same. Not for other rooms.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tofu::syntax {

enum class Run : std::uint8_t {
  Name,    // letters, digits, _ and -
  Quoted,  // ASCII that stands for itself in a quoted template
  Text,    // ASCII that stands for itself in a heredoc or bare template
  Blank,   // spaces and tabs
};

constexpr bool in_run(unsigned char c, Run run) {
  const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
  switch (run) {
    case Run::Name: return letter || (c >= '0' && c <= '9') || c == '_' || c == '-';
    case Run::Blank: return c == ' ' || c == '\t';
    case Run::Text: return c < 0x80 && c != '$' && c != '%' && c != '\r' && c != '\n';
    case Run::Quoted: return in_run(c, Run::Text) && c != '"' && c != '\\';
  }
  return false;
}

#if defined(__SSE2__)
// A bit for each of the sixteen bytes: whether it is in the run.
template <Run kRun>
unsigned run_mask(__m128i bytes) {
  const auto equal = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
  // Signed comparison is enough: bytes from 0x80 on are negative and in no range.
  const auto between = [](__m128i value, char low, char high) {
    return _mm_and_si128(_mm_cmpgt_epi8(value, _mm_set1_epi8(static_cast<char>(low - 1))),
                         _mm_cmplt_epi8(value, _mm_set1_epi8(static_cast<char>(high + 1))));
  };
  __m128i found;
  if constexpr (kRun == Run::Blank) {
    found = _mm_or_si128(equal(' '), equal('\t'));
  } else if constexpr (kRun == Run::Name) {
    const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    found = _mm_or_si128(_mm_or_si128(between(lower, 'a', 'z'), between(bytes, '0', '9')),
                         _mm_or_si128(equal('_'), equal('-')));
  } else {
    __m128i other =
        _mm_or_si128(_mm_or_si128(equal('$'), equal('%')), _mm_or_si128(equal('\r'), equal('\n')));
    if constexpr (kRun == Run::Quoted) {
      other = _mm_or_si128(other, _mm_or_si128(equal('"'), equal('\\')));
    }
    // A high byte has its top bit set, which is all that movemask looks at.
    return 0xFFFF & ~static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(other, bytes)));
  }
  return static_cast<unsigned>(_mm_movemask_epi8(found));
}
#endif

// The end of the run that begins at `at`; `at` itself if there is none.
template <Run kRun>
inline const char* run_end(const char* at, const char* end) {
#if defined(__SSE2__)
  while (end - at >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const unsigned others = 0xFFFF & ~run_mask<kRun>(bytes);
    if (others != 0) return at + std::countr_zero(others);
    at += 16;
  }
#endif
  while (at != end && in_run(static_cast<unsigned char>(*at), kRun)) ++at;
  return at;
}

}  // namespace tofu::syntax
