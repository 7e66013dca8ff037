// How far runs of plain bytes go: names, blanks, literal text.
//
// Most bytes of a source are in such runs. With SSE2, which every x86-64 processor has, sixteen
// bytes are checked in one step, so that short runs cost no mispredicted branch; other processors
// use a loop. Private to this component.
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
inline __m128i equal(__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }

// Signed comparison is enough: bytes from 0x80 on are negative and in no range.
inline __m128i between(__m128i bytes, char low, char high) {
  return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(low - 1))),
                       _mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(high + 1))));
}

// For each of the sixteen bytes whether it is in the run, in its top bit.
template <Run kRun>
inline __m128i in_run(__m128i bytes) {
  if constexpr (kRun == Run::Blank) {
    return _mm_or_si128(equal(bytes, ' '), equal(bytes, '\t'));
  } else if constexpr (kRun == Run::Name) {
    const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    return _mm_or_si128(_mm_or_si128(between(lower, 'a', 'z'), between(bytes, '0', '9')),
                        _mm_or_si128(equal(bytes, '_'), equal(bytes, '-')));
  } else {
    __m128i other = _mm_or_si128(_mm_or_si128(equal(bytes, '$'), equal(bytes, '%')),
                                 _mm_or_si128(equal(bytes, '\r'), equal(bytes, '\n')));
    if constexpr (kRun == Run::Quoted) {
      other = _mm_or_si128(other, _mm_or_si128(equal(bytes, '"'), equal(bytes, '\\')));
    }
    // A high byte has its top bit set already.
    return _mm_xor_si128(_mm_or_si128(other, bytes), _mm_set1_epi8(-1));
  }
}

// The classes of sixty-four bytes of code, one bit for each byte, the first in the lowest bit.
inline constexpr int kWindowBytes = 64;
struct CodeWindow {
  std::uint64_t names = 0;   // in Run::Name
  std::uint64_t digits = 0;  // of these
  std::uint64_t others = 0;  // neither in Run::Name nor in Run::Blank
  std::uint64_t dots = 0;
  std::uint64_t stops = 0;  // not surely in Run::Quoted
  bool ascii = true;

  // Forgets the first `count` bytes, fewer than 64, which may end inside a run.
  void drop(std::size_t count) {
    const std::uint64_t rest = ~std::uint64_t{0} << count;
    names &= rest;
    digits &= rest;
    others &= rest;
    dots &= rest;
  }
};

// All that is not in Run::Quoted, and other control characters.
inline __m128i may_stop_quoted(__m128i bytes) {
  return _mm_or_si128(
      _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')), equal(bytes, '"')),
      _mm_or_si128(equal(bytes, '\\'), equal(_mm_or_si128(bytes, _mm_set1_epi8('$' ^ '%')), '%')));
}

inline CodeWindow look_at(const char* at) {
  CodeWindow window;
  std::uint64_t high = 0;
  for (int i = 0; i < kWindowBytes; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i));
    const auto bits = [i](__m128i found) {
      return static_cast<std::uint64_t>(_mm_movemask_epi8(found)) << i;
    };
    const __m128i names = in_run<Run::Name>(bytes);
    window.names |= bits(names);
    window.digits |= bits(between(bytes, '0', '9'));
    window.others |= bits(_mm_or_si128(names, in_run<Run::Blank>(bytes)));
    window.dots |= bits(equal(bytes, '.'));
    window.stops |= bits(may_stop_quoted(bytes));
    high |= bits(bytes);
  }
  window.others = ~window.others;
  window.ascii = high == 0;
  return window;
}

// The possible end of the quoted text that a quote at `place` opens; 64 if that is not in the
// window.
inline int text_stop(const CodeWindow& window, int place) {
  return std::countr_zero(window.stops & (~std::uint64_t{1} << place));
}

// The first byte of every run of name bytes, and all others that are not blanks.
inline std::uint64_t token_starts(const CodeWindow& window) {
  return window.others | (window.names & ~(window.names << 1));
}

// Whether a number may have more to it than its digits. Adding its first digit to a
// run of digits gives the bit after the run.
inline bool has_odd_number(const CodeWindow& window) {
  const std::uint64_t first = window.names & ~(window.names << 1) & window.digits;
  const std::uint64_t after = (window.digits + first) & ~window.digits;
  return (after & (window.names | window.dots)) != 0;
}
#endif

// The end of the run that begins at `at`; `at` itself if there is none.
template <Run kRun>
inline const char* run_end(const char* at, const char* end) {
#if defined(__SSE2__)
  while (end - at >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const int others = 0xFFFF & ~_mm_movemask_epi8(in_run<kRun>(bytes));
    if (others != 0) return at + std::countr_zero(static_cast<unsigned>(others));
    at += 16;
  }
#endif
  while (at != end && in_run(static_cast<unsigned char>(*at), kRun)) ++at;
  return at;
}

}  // namespace tofu::syntax
