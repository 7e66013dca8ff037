#include <charconv>
#include <limits>
#include <string>

#include "base/ascii.h"
#include "base/check.h"
#include "value/number.h"
#include "value/number_rep.h"

// Reading numbers. The result of a decimal fraction is not always the nearest
// binary number: OpenTofu multiplies by a power of five that is itself rounded,
// and since the difference can be printed, so do we.

namespace tofu::value {

namespace {

struct Parts {
  bool negative = false;
  std::string_view whole;     // digits before the point
  std::string_view fraction;  // digits after it
  std::int64_t exponent = 0;
  bool binary = false;  // the exponent is of 2, not of 10
};

std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && base::is_ascii_digit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

bool take_exponent(std::string_view& text, Parts& parts) {
  const char letter = text.front();
  if (letter != 'e' && letter != 'E' && letter != 'p' && letter != 'P') return false;
  parts.binary = letter == 'p' || letter == 'P';
  text.remove_prefix(1);
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const std::string_view digits = take_digits(text);
  const char* end = digits.data() + digits.size();
  std::uint64_t magnitude = 0;
  const auto [stop, error] = std::from_chars(digits.data(), end, magnitude);
  if (digits.empty() || error != std::errc() || stop != end) return false;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude > kMost) return false;
  parts.exponent =
      negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
  return true;
}

std::optional<Parts> split(std::string_view text) {
  Parts parts;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    parts.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  parts.whole = take_digits(text);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  if (parts.whole.empty() && parts.fraction.empty()) return std::nullopt;
  if (!text.empty() && !take_exponent(text, parts)) return std::nullopt;
  if (!text.empty()) return std::nullopt;
  return parts;
}

// 5^power, rounded as Go's big.Float rounds it on the way.
void power_of_five(Scratch& result, std::uint64_t power) {
  constexpr std::uint64_t kTable = 27;  // 5^27 is the last that fits 64 bits
  constexpr std::uint64_t kLast = 7450580596923828125u;
  if (power <= kTable) {
    mpfr_ui_pow_ui(result, 5, power, MPFR_RNDN);
    return;
  }
  mpfr_set_ui(result, kLast, MPFR_RNDN);
  power -= kTable;
  Scratch factor(kLiteralPrecision + 128);
  mpfr_set_ui(factor, 5, MPFR_RNDN);
  for (; power > 0; power >>= 1) {
    if ((power & 1) != 0) mpfr_mul(result, result, factor, MPFR_RNDN);
    mpfr_mul(factor, factor, factor, MPFR_RNDN);
  }
}

bool in_exponent_range(__int128_t exponent) {
  return exponent >= std::numeric_limits<std::int32_t>::min() &&
         exponent <= std::numeric_limits<std::int32_t>::max();
}

std::optional<Number> assemble(const Parts& parts) {
  std::string digits;
  digits.reserve(parts.whole.size() + parts.fraction.size());
  digits.append(parts.whole).append(parts.fraction);
  Integer mantissa;
  mpz_set_str(mantissa, digits.c_str(), 10);
  Scratch result(kLiteralPrecision);
  if (mpz_sgn(static_cast<mpz_srcptr>(mantissa)) == 0) {
    mpfr_set_zero(result, parts.negative ? -1 : 1);
    return NumberRep::finish(result, kLiteralPrecision);
  }
  const auto bits = mpz_sizeinbase(mantissa, 2);
  if (parts.negative) mpz_neg(mantissa, mantissa);
  const __int128_t fraction = -static_cast<__int128_t>(parts.fraction.size());
  const __int128_t fives = fraction + (parts.binary ? 0 : parts.exponent);
  const __int128_t twos = fraction + parts.exponent;
  if (!in_exponent_range(twos + bits)) return std::nullopt;
  const auto shift = static_cast<mpfr_exp_t>(twos);
  if (fives == 0) {
    mpfr_set_z_2exp(result, mantissa, shift, MPFR_RNDN);
    return NumberRep::finish(result, kLiteralPrecision);
  }
  Scratch exact(static_cast<mpfr_prec_t>(bits));
  mpfr_set_z_2exp(exact, mantissa, shift, MPFR_RNDN);
  Scratch power(kLiteralPrecision + 64);
  power_of_five(power, static_cast<std::uint64_t>(fives < 0 ? -fives : fives));
  if (fives < 0) {
    mpfr_div(result, exact, power, MPFR_RNDN);
  } else {
    mpfr_mul(result, exact, power, MPFR_RNDN);
  }
  return NumberRep::finish(result, kLiteralPrecision);
}

}  // namespace

std::optional<Number> Number::parse(std::string_view text) {
  // Most numbers are short and whole.
  if (!text.empty() && text.size() <= 18 && base::is_ascii_digit(text.front())) {
    std::int64_t whole = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (error == std::errc() && stop == text.data() + text.size()) {
      return NumberRep::from_bits(small_number(whole, SmallPrecision::Literal));
    }
  }
  if (text == "Inf" || text == "inf" || text == "+Inf" || text == "+inf") return infinity();
  if (text == "-Inf" || text == "-inf") return infinity(true);
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  return assemble(*parts);
}

std::optional<Number> Number::parse_integer(std::string_view digits, int base) {
  TOFU_CHECK(base >= 2 && base <= 62, "whole numbers are read in base 2 to 62");
  std::string text;
  bool negative = false;
  if (!digits.empty() && (digits.front() == '+' || digits.front() == '-')) {
    negative = digits.front() == '-';
    digits.remove_prefix(1);
  }
  if (digits.empty()) return std::nullopt;
  text.reserve(digits.size());
  for (const char c : digits) {
    int digit = 62;
    if (base::is_ascii_digit(c)) digit = c - '0';
    if (base::is_ascii_lower(c)) digit = c - 'a' + 10;
    if (base::is_ascii_upper(c)) digit = base <= 36 ? c - 'A' + 10 : c - 'A' + 36;
    if (digit >= base) return std::nullopt;
    // Beyond base 36 GMP has the capitals first.
    const bool swap_case = base > 36 && digit >= 10;
    text.push_back(swap_case ? static_cast<char>(c ^ 0x20) : c);
  }
  Integer whole;
  mpz_set_str(whole, text.c_str(), base);
  if (negative) mpz_neg(whole, whole);
  const auto bits = mpz_sizeinbase(whole, 2);
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (bits > kMost) return std::nullopt;
  return NumberRep::from_integer(whole, std::max(kIntegerPrecision, static_cast<int>(bits)));
}

}  // namespace tofu::value
