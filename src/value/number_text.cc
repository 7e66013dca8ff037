#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "base/check.h"
#include "value/number.h"
#include "value/number_rep.h"

namespace tofu::value {

namespace {

// Below this many binary places the decimal expansion is computed to its end.
// Beyond, an expansion has far more digits than anyone asks for and never ends
// in zeros early, so leading digits and the knowledge that more follow are enough.
constexpr std::int64_t kExactPlaces = 4096;

void drop_trailing_zeros(std::string& digits) { digits.erase(digits.find_last_not_of('0') + 1); }

std::string digits_of(mpz_srcptr whole) {
  std::string digits(mpz_sizeinbase(whole, 10) + 2, '\0');
  mpz_get_str(digits.data(), 10, whole);
  digits.resize(std::strlen(digits.c_str()));
  return digits;
}

// All digits of whole × 2^shift; `whole` is positive and used up.
Decimal expand(Integer& whole, std::int64_t shift) {
  if (shift < 0) {
    const auto zeros =
        std::min<std::uint64_t>(mpz_scan1(whole, 0), static_cast<std::uint64_t>(-shift));
    mpz_tdiv_q_2exp(whole, whole, zeros);
    shift += static_cast<std::int64_t>(zeros);
  }
  if (shift > 0) mpz_mul_2exp(whole, whole, static_cast<mp_bitcnt_t>(shift));
  if (shift < 0) {  // w / 2^n is w × 5^n / 10^n
    Integer fives;
    mpz_ui_pow_ui(fives, 5, static_cast<unsigned long>(-shift));
    mpz_mul(whole, whole, fives);
  }
  Decimal decimal;
  decimal.digits = digits_of(whole);
  decimal.point =
      static_cast<std::int64_t>(decimal.digits.size()) + std::min<std::int64_t>(shift, 0);
  drop_trailing_zeros(decimal.digits);
  return decimal;
}

// The first digits of a number whose expansion goes on for long, then a 1 that
// stands for the rest.
Decimal leading_digits(mpfr_srcptr number, std::int64_t count) {
  mpfr_exp_t point = 0;
  char* text =
      mpfr_get_str(nullptr, &point, 10, static_cast<std::size_t>(count) + 3, number, MPFR_RNDZ);
  Decimal decimal{.digits = text[0] == '-' ? text + 1 : text, .point = point};
  mpfr_free_str(text);
  decimal.digits.push_back('1');
  return decimal;
}

bool is_far(mpfr_srcptr number) {
  return std::abs(static_cast<std::int64_t>(mpfr_get_exp(number)) - mpfr_get_prec(number)) >
         kExactPlaces;
}

// The same with the integer mantissa moved by `step` half units in the last place.
Decimal neighbor(mpfr_srcptr number, mpz_srcptr mantissa, std::int64_t exponent, int step,
                 std::int64_t count) {
  Integer twice;
  mpz_mul_2exp(twice, mantissa, 1);
  if (step > 0) mpz_add_ui(twice, twice, 1);
  if (step < 0) mpz_sub_ui(twice, twice, 1);
  if (!is_far(number)) return expand(twice, exponent - 1);
  Scratch moved(mpfr_get_prec(number) + 2);
  mpfr_set_z_2exp(moved, twice, exponent - 1, MPFR_RNDN);
  return leading_digits(moved, count);
}

// Numbers that came from a short decimal, which are most: twenty digits are
// enough, and one rounded division proves it. No other decimal as short lies
// so near a number of many bits.
std::optional<Decimal> short_decimal(mpfr_srcptr number) {
  constexpr int kDigits = 19;           // what 64 bits hold for sure
  constexpr mpfr_prec_t kEnough = 128;  // far more bits than the digits have
  const mpfr_exp_t exponent = mpfr_get_exp(number);
  if (mpfr_get_prec(number) < kEnough || exponent > 60 || exponent < -20) return std::nullopt;
  mpfr_exp_t point = 0;
  char buffer[kDigits + 4];
  mpfr_get_str(buffer, &point, 10, kDigits, number, MPFR_RNDN);
  Decimal decimal{.digits = buffer[0] == '-' ? buffer + 1 : buffer, .point = point};
  drop_trailing_zeros(decimal.digits);
  const auto places = static_cast<std::int64_t>(decimal.digits.size()) - decimal.point;
  if (places < 1 || places > kDigits) return std::nullopt;
  std::uint64_t whole = 0;
  std::from_chars(decimal.digits.data(), decimal.digits.data() + decimal.digits.size(), whole);
  std::uint64_t power = 1;
  for (std::int64_t i = 0; i < places; ++i) power *= 10;
  Scratch quotient(mpfr_get_prec(number));
  mpfr_set_ui(quotient, whole, MPFR_RNDN);
  mpfr_div_ui(quotient, quotient, power, MPFR_RNDN);
  if (mpfr_cmpabs(quotient, number) != 0) return std::nullopt;
  return decimal;
}

char digit_at(const Decimal& decimal, std::int64_t place) {
  const bool inside = place >= 0 && place < static_cast<std::int64_t>(decimal.digits.size());
  return inside ? decimal.digits[static_cast<std::size_t>(place)] : '0';
}

// d.ddde±dd
void append_exponential(std::string& out, const Decimal& decimal, std::int64_t places,
                        char letter) {
  out.push_back(digit_at(decimal, 0));
  if (places > 0) {
    out.push_back('.');
    for (std::int64_t i = 1; i <= places; ++i) out.push_back(digit_at(decimal, i));
  }
  const std::int64_t exponent = decimal.digits.empty() ? 0 : decimal.point - 1;
  out.push_back(letter);
  out.push_back(exponent < 0 ? '-' : '+');
  const std::string magnitude = std::to_string(std::abs(exponent));
  if (magnitude.size() < 2) out.push_back('0');
  out.append(magnitude);
}

// ddd.ddd
void append_plain(std::string& out, const Decimal& decimal, std::int64_t places) {
  if (decimal.point > 0) {
    const auto whole = static_cast<std::size_t>(decimal.point);
    const std::size_t written = std::min(whole, decimal.digits.size());
    out.append(decimal.digits, 0, written);
    out.append(whole - written, '0');
  } else {
    out.push_back('0');
  }
  if (places <= 0) return;
  out.push_back('.');
  for (std::int64_t i = 0; i < places; ++i) out.push_back(digit_at(decimal, decimal.point + i));
}

// %g: the shorter of the two, where "short" depends on the digits asked for.
void append_general(std::string& out, const Decimal& decimal, std::int64_t places, bool shortest,
                    char letter) {
  const auto size = static_cast<std::int64_t>(decimal.digits.size());
  std::int64_t limit = places;
  if (limit > size && size >= decimal.point) limit = size;
  if (shortest) limit = 6;
  const std::int64_t exponent = decimal.point - 1;
  if (exponent < -4 || exponent >= limit) {
    append_exponential(out, decimal, std::min(places, size) - 1, letter);
    return;
  }
  const std::int64_t kept = places > decimal.point ? size : places;
  append_plain(out, decimal, std::max<std::int64_t>(kept - decimal.point, 0));
}

}  // namespace

void Decimal::round(std::int64_t count) {
  if (count < 0 || count >= static_cast<std::int64_t>(digits.size())) return;
  const auto at = static_cast<std::size_t>(count);
  const bool half = digits[at] == '5' && at + 1 == digits.size();
  const bool up = half ? at > 0 && (digits[at - 1] - '0') % 2 != 0 : digits[at] >= '5';
  if (up) {
    round_up(count);
  } else {
    round_down(count);
  }
}

void Decimal::round_down(std::int64_t count) {
  if (count < 0 || count >= static_cast<std::int64_t>(digits.size())) return;
  digits.resize(static_cast<std::size_t>(count));
  drop_trailing_zeros(digits);
  if (digits.empty()) point = 0;
}

void Decimal::round_up(std::int64_t count) {
  if (count < 0 || count >= static_cast<std::int64_t>(digits.size())) return;
  auto kept = static_cast<std::size_t>(count);
  while (kept > 0 && digits[kept - 1] == '9') --kept;
  if (kept == 0) {
    digits = "1";
    ++point;
    return;
  }
  digits.resize(kept);
  ++digits.back();
}

Decimal exact_decimal(mpfr_srcptr number, std::int64_t count) {
  if (mpfr_zero_p(number)) return {};
  if (is_far(number)) return leading_digits(number, std::max<std::int64_t>(count, 1));
  Integer mantissa;
  const std::int64_t exponent = mpfr_get_z_2exp(mantissa, number);
  mpz_abs(mantissa, mantissa);
  return expand(mantissa, exponent);
}

Decimal shortest_decimal(const Number& number) {
  const View view(number);
  if (mpfr_zero_p(view.get())) return {};
  // A small number is whole and has no neighbor nearer than a half.
  if (NumberRep::is_small(number)) return exact_decimal(view, 0);
  if (auto quick = short_decimal(view)) return *std::move(quick);

  const std::int64_t count = number.precision() * 30103LL / 100000 + 8;
  Integer mantissa;
  const std::int64_t exponent = mpfr_get_z_2exp(mantissa, view);
  mpz_abs(mantissa, mantissa);
  const bool inclusive = mpz_even_p(static_cast<mpz_srcptr>(mantissa)) != 0;
  Decimal decimal = neighbor(view, mantissa, exponent, 0, count);
  const Decimal lower = neighbor(view, mantissa, exponent, -1, count);
  const Decimal upper = neighbor(view, mantissa, exponent, 1, count);
  // The first place where cutting or raising still stays between the two
  // numbers half a unit away.
  for (std::size_t i = 0; i < decimal.digits.size(); ++i) {
    const char digit = decimal.digits[i];
    const char low = digit_at(lower, static_cast<std::int64_t>(i));
    const char high = digit_at(upper, static_cast<std::int64_t>(i));
    const bool down = low != digit || (inclusive && i + 1 == lower.digits.size());
    const bool up = digit != high && (inclusive || digit + 1 < high || i + 1 < upper.digits.size());
    const auto kept = static_cast<std::int64_t>(i) + 1;
    if (down && up) {
      decimal.round(kept);
    } else if (down) {
      decimal.round_down(kept);
    } else if (up) {
      decimal.round_up(kept);
    } else {
      continue;
    }
    break;
  }
  return decimal;
}

std::string Number::to_string() const {
  if (NumberRep::is_small(*this)) {
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, small_whole(bits_)).ptr;
    return {buffer, end};
  }
  return text('f', -1);
}

std::string Number::text(char format, int digits) const {
  const View view(*this);
  std::string out;
  if (mpfr_signbit(view.get())) out.push_back('-');
  if (mpfr_inf_p(view.get())) return mpfr_signbit(view.get()) ? "-Inf" : "+Inf";
  const bool shortest = digits < 0;
  const char lower = format == 'E' ? 'e' : format == 'G' ? 'g' : format;
  Decimal decimal;
  std::int64_t places = digits;
  if (shortest) {
    decimal = shortest_decimal(*this);
    const auto size = static_cast<std::int64_t>(decimal.digits.size());
    if (lower == 'e') places = size - 1;
    if (lower == 'f') places = std::max<std::int64_t>(size - decimal.point, 0);
    if (lower == 'g') places = size;
  } else {
    if (lower == 'g' && places == 0) places = 1;
    // How many digits stand before the point is only known afterwards; ten
    // binary places are more than three decimal ones.
    const std::int64_t before =
        mpfr_zero_p(view.get()) ? 0 : std::max<std::int64_t>(mpfr_get_exp(view.get()), 0) / 3 + 1;
    const bool endless = lower == 'f' && before > 2 * kMaxPlainDigits;
    decimal = exact_decimal(view, lower == 'f' && !endless ? before + places : places + 1);
    if (lower == 'e') decimal.round(1 + places);
    if (lower == 'f') decimal.round(decimal.point + places);
    if (lower == 'g') decimal.round(places);
  }
  switch (lower) {
    case 'e': append_exponential(out, decimal, places, format); return out;
    case 'f':
      if (std::abs(decimal.point) > kMaxPlainDigits) {
        const auto size = static_cast<std::int64_t>(decimal.digits.size());
        append_exponential(out, decimal, shortest ? size - 1 : places, 'e');
      } else {
        append_plain(out, decimal, places);
      }
      return out;
    case 'g': append_general(out, decimal, places, shortest, format == 'G' ? 'E' : 'e'); return out;
    default: base::broken_promise("numbers are written in the formats e, f and g");
  }
}

std::string Number::integer_text(int base) const {
  TOFU_CHECK(base >= 2 && base <= 36, "whole numbers are written in base 2 to 36");
  const View view(*this);
  if (mpfr_inf_p(view.get())) return sign() < 0 ? "-Inf" : "+Inf";
  if (!mpfr_zero_p(view.get()) && mpfr_get_exp(view.get()) > kMaxPlainDigits) return to_string();
  Integer whole;
  mpfr_get_z(whole, view, MPFR_RNDZ);
  std::string digits(mpz_sizeinbase(whole, base) + 2, '\0');
  mpz_get_str(digits.data(), base, whole);
  digits.resize(std::strlen(digits.c_str()));
  return digits;
}

}  // namespace tofu::value
