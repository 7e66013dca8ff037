// Numbers as the language has them: binary floating point of up to 512 bits.
//
// A Number carries its own precision, because results depend on it as they do
// in OpenTofu: a literal has 512 bits, a length or an index 64, the result of
// pow() or log() 53, and an operation gets the larger of its operands'. Whole
// numbers of up to 59 bits are stored in the handle itself; everything else is
// an MPFR number on the heap, shared and never changed.
//
// Negative zero and both infinities are numbers; not-a-number is not.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "value/node.h"

namespace tofu::value {

inline constexpr int kLiteralPrecision = 512;
inline constexpr int kIntegerPrecision = 64;
inline constexpr int kDoublePrecision = 53;

// The plain form of a number with more digits than this would fill the memory
// (1e600000000 is a number); it is then written with an exponent.
inline constexpr std::int64_t kMaxPlainDigits = 10'000'000;

// Large: the arithmetic and the conversions that need its representation.
class Number {
 public:
  Number() : Number(0) {}
  // As Go code would make it from an int64: precision 64.
  explicit Number(std::int64_t whole);
  // As Go code would make it from a float64: precision 53. Not-a-number is a broken promise.
  static Number from_double(double number);
  static Number infinity(bool negative = false);
  // A decimal literal or string: digits, fraction, exponent, sign, "Inf".
  // Precision 512. Nothing if `text` is not a number in full.
  static std::optional<Number> parse(std::string_view text);
  // A whole number in base 2 to 62, as parseint reads it. Sign allowed.
  static std::optional<Number> parse_integer(std::string_view digits, int base);

  Number(const Number& other) : bits_(other.bits_) { retain(bits_); }
  Number(Number&& other) noexcept : bits_(std::exchange(other.bits_, kMovedFrom)) {}
  Number& operator=(const Number& other) {
    retain(other.bits_);
    release(std::exchange(bits_, other.bits_));
    return *this;
  }
  Number& operator=(Number&& other) noexcept {
    std::swap(bits_, other.bits_);
    return *this;
  }
  ~Number() { release(bits_); }

  int precision() const;
  int sign() const;  // -1, 0, 1; negative zero is 0
  bool is_negative_zero() const;
  bool is_infinite() const;
  bool is_integer() const;
  std::optional<std::int64_t> to_int64() const;  // only if whole and in range
  std::int64_t to_int64_truncated() const;       // toward zero, saturating
  double to_double() const;                      // nearest

  Number negated() const;
  Number absolute() const;
  Number truncated() const;
  Number floor() const;
  Number ceil() const;

  // Shortest decimal that reads back as the same number, never with an
  // exponent: "0.1", "100000", "-0", "+Inf", "-Inf".
  std::string to_string() const;
  // Go's big.Float.Text: format 'e', 'E', 'f', 'g' or 'G'; digits -1 = shortest.
  std::string text(char format, int digits) const;
  // The integer part in base 2 to 36, lower case; beyond kMaxPlainDigits as to_string().
  std::string integer_text(int base) const;

  // The order on the number line, to the last bit. -0 equals 0.
  friend std::strong_ordering operator<=>(const Number& a, const Number& b);
  // The language's ==: whole numbers by value, others by the digits they print. So pow(10, -1),
  // which has 53 bits, equals the literal 0.1, which has 512, although <=> distinguishes them.
  friend bool operator==(const Number& a, const Number& b);
  std::uint64_t hash() const;  // agrees with ==

  // Not-a-number would be a broken promise; use the checked forms below for
  // operands that may be infinite.
  friend Number operator+(const Number& a, const Number& b);
  friend Number operator-(const Number& a, const Number& b);
  friend Number operator*(const Number& a, const Number& b);

 private:
  friend class Plain;
  friend class Value;
  friend struct NumberRep;
  explicit Number(std::uintptr_t bits, std::nullptr_t) : bits_(bits) {}
  std::uintptr_t bits_;  // tagged: see value/node.h
};

// Fail where the result would be not-a-number: 0/0, Inf/Inf, Inf-Inf, 0*Inf, and
// a remainder with an infinity on either side. a/0 is an infinity; a % 0 is a.
base::Result<Number> checked_add(const Number& a, const Number& b);
base::Result<Number> checked_subtract(const Number& a, const Number& b);
base::Result<Number> checked_multiply(const Number& a, const Number& b);
base::Result<Number> divide(const Number& a, const Number& b);
base::Result<Number> modulo(const Number& a, const Number& b);

}  // namespace tofu::value
