#include "value/number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "base/check.h"
#include "value/hash.h"
#include "value/number_rep.h"

namespace tofu::value {

namespace {

constexpr mpfr_exp_t kMaxExponent = std::numeric_limits<std::int32_t>::max();
constexpr mpfr_exp_t kMinExponent = std::numeric_limits<std::int32_t>::min();

// MPFR keeps its exponent range per thread; ours is applied in finish().
void widen_exponents() {
  if (mpfr_get_emax() == mpfr_get_emax_max()) return;
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
}

int bits_of_precision(SmallPrecision precision) {
  switch (precision) {
    case SmallPrecision::Literal: return kLiteralPrecision;
    case SmallPrecision::Integer: return kIntegerPrecision;
    case SmallPrecision::Double: return kDoublePrecision;
  }
  base::broken_promise("a small number has one of three precisions");
}

std::optional<SmallPrecision> small_precision_of(int bits) {
  if (bits == kLiteralPrecision) return SmallPrecision::Literal;
  if (bits == kIntegerPrecision) return SmallPrecision::Integer;
  if (bits == kDoublePrecision) return SmallPrecision::Double;
  return std::nullopt;
}

std::uint32_t limbs_for(mpfr_prec_t precision) {
  return static_cast<std::uint32_t>((precision + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS);
}

Number make_big(int form, mpfr_exp_t exponent, int precision, const mp_limb_t* limbs) {
  const std::uint32_t count =
      std::abs(form) == MPFR_REGULAR_KIND ? limbs_for(precision) : std::uint32_t{0};
  auto* node = place<BigNumber>(count * sizeof(mp_limb_t), form, exponent, precision, count);
  if (form == -MPFR_ZERO_KIND) node->flags |= kContainsMinusZero;
  std::memcpy(node->limbs(), limbs, count * sizeof(mp_limb_t));
  return NumberRep::from_bits(bits_of(node));
}

Number special(int kind, bool negative, int precision) {
  const mp_limb_t none = 0;
  return make_big(negative ? -kind : kind, 0, precision, &none);
}

}  // namespace

View::View(const Number& number) {
  widen_exponents();
  if (NumberRep::is_small(number)) {
    // 64 bits hold every small number; the precision of a result is asked
    // from the Number, never from here.
    mpfr_custom_init_set(number_, MPFR_ZERO_KIND, 0, 64, &limb_);
    mpfr_set_si(number_, NumberRep::whole(number), MPFR_RNDN);
    return;
  }
  const BigNumber& big = NumberRep::big(number);
  mpfr_custom_init_set(number_, big.form, big.exponent, big.precision,
                       const_cast<mp_limb_t*>(big.limbs()));  // MPFR has no const form
}

Scratch::Scratch(mpfr_prec_t precision) : outside_(precision > kInside) {
  widen_exponents();
  if (outside_) {
    mpfr_init2(number_, precision);
  } else {
    mpfr_custom_init_set(number_, MPFR_ZERO_KIND, 0, precision, limbs_);
  }
}

Scratch::~Scratch() {
  if (outside_) mpfr_clear(number_);
}

Number NumberRep::finish(mpfr_srcptr result, int precision) {
  TOFU_CHECK(!mpfr_nan_p(result), "no number is not-a-number");
  const bool negative = mpfr_signbit(result) != 0;
  if (mpfr_inf_p(result)) return special(MPFR_INF_KIND, negative, precision);
  const bool zero = mpfr_zero_p(result) != 0;
  if (!zero && mpfr_get_exp(result) > kMaxExponent) {
    return special(MPFR_INF_KIND, negative, precision);
  }
  if (zero || mpfr_get_exp(result) < kMinExponent) {
    const auto small = small_precision_of(precision);
    if (!negative && small) return from_bits(small_number(0, *small));
    return special(MPFR_ZERO_KIND, negative, precision);
  }
  if (const auto small = small_precision_of(precision);
      small && mpfr_get_exp(result) <= 60 && mpfr_integer_p(result)) {
    const std::int64_t whole = mpfr_get_si(result, MPFR_RNDZ);
    if (fits_small(whole, *small)) return from_bits(small_number(whole, *small));
  }
  const int form = negative ? -MPFR_REGULAR_KIND : MPFR_REGULAR_KIND;
  if (mpfr_get_prec(result) == precision) {
    return make_big(form, mpfr_get_exp(result), precision,
                    static_cast<const mp_limb_t*>(mpfr_custom_get_significand(result)));
  }
  Scratch fitted(precision);
  mpfr_set(fitted, result, MPFR_RNDN);
  return finish(fitted, precision);
}

Number NumberRep::in_heap_form(const Number& number) {
  if (!is_small(number)) return number;
  if (number.sign() == 0) return special(MPFR_ZERO_KIND, false, number.precision());
  Scratch wide(number.precision());
  mpfr_set(wide, View(number), MPFR_RNDN);
  return make_big(number.sign() < 0 ? -MPFR_REGULAR_KIND : MPFR_REGULAR_KIND,
                  mpfr_get_exp(wide.get()), number.precision(),
                  static_cast<const mp_limb_t*>(mpfr_custom_get_significand(wide.get())));
}

Number NumberRep::from_integer(mpz_srcptr whole, int precision) {
  Scratch exact(precision);
  mpfr_set_z(exact, whole, MPFR_RNDN);
  return finish(exact, precision);
}

Number::Number(std::int64_t whole) : bits_(kMovedFrom) {
  if (fits_small(whole, SmallPrecision::Integer)) {
    bits_ = small_number(whole, SmallPrecision::Integer);
    return;
  }
  Scratch wide(kIntegerPrecision);
  mpfr_set_si(wide, whole, MPFR_RNDN);
  *this = NumberRep::finish(wide, kIntegerPrecision);
}

Number Number::from_double(double number) {
  TOFU_CHECK(!std::isnan(number), "no number is not-a-number");
  Scratch exact(kDoublePrecision);
  mpfr_set_d(exact, number, MPFR_RNDN);
  return NumberRep::finish(exact, kDoublePrecision);
}

Number Number::infinity(bool negative) {
  return special(MPFR_INF_KIND, negative, kLiteralPrecision);
}

int Number::precision() const {
  return NumberRep::is_small(*this) ? bits_of_precision(small_precision(bits_))
                                    : NumberRep::big(*this).precision;
}

int Number::sign() const {
  if (NumberRep::is_small(*this)) return (small_whole(bits_) > 0) - (small_whole(bits_) < 0);
  const int form = NumberRep::big(*this).form;
  if (std::abs(form) == MPFR_ZERO_KIND) return 0;
  return form < 0 ? -1 : 1;
}

bool Number::is_negative_zero() const {
  return !NumberRep::is_small(*this) && NumberRep::big(*this).form == -MPFR_ZERO_KIND;
}

bool Number::is_infinite() const {
  return !NumberRep::is_small(*this) && std::abs(NumberRep::big(*this).form) == MPFR_INF_KIND;
}

bool Number::is_integer() const {
  return NumberRep::is_small(*this) || mpfr_integer_p(View(*this)) != 0;
}

std::optional<std::int64_t> Number::to_int64() const {
  if (NumberRep::is_small(*this)) return small_whole(bits_);
  const View view(*this);
  if (!mpfr_integer_p(view) || !mpfr_fits_slong_p(view, MPFR_RNDZ)) return std::nullopt;
  return mpfr_get_si(view, MPFR_RNDZ);
}

std::int64_t Number::to_int64_truncated() const {
  if (NumberRep::is_small(*this)) return small_whole(bits_);
  return mpfr_get_si(View(*this), MPFR_RNDZ);  // saturates
}

double Number::to_double() const { return mpfr_get_d(View(*this), MPFR_RNDN); }

Number Number::negated() const {
  if (NumberRep::is_small(*this) && small_whole(bits_) != 0) {
    return NumberRep::from_bits(small_number(-small_whole(bits_), small_precision(bits_)));
  }
  Scratch result(precision());
  mpfr_neg(result, View(*this), MPFR_RNDN);
  return NumberRep::finish(result, precision());
}

Number Number::absolute() const {
  if (sign() > 0) return *this;
  if (sign() == 0 && !is_negative_zero()) return *this;
  return negated();
}

// The three below follow what OpenTofu's functions do: a whole number is never
// negative zero, and only truncation settles on a precision of its own.
Number Number::truncated() const {
  if (is_integer() || is_infinite()) return *this;
  Scratch result(precision());
  mpfr_trunc(result, View(*this));
  if (mpfr_zero_p(result)) return Number(0);
  const auto bits = std::max<mpfr_exp_t>(kIntegerPrecision, mpfr_get_exp(result));
  return NumberRep::finish(result, static_cast<int>(bits));
}

Number Number::floor() const {
  if (NumberRep::is_small(*this) || is_infinite()) return *this;
  Scratch result(precision());
  mpfr_floor(result, View(*this));
  if (mpfr_zero_p(result)) mpfr_set_zero(result, 1);
  return NumberRep::finish(result, precision());
}

Number Number::ceil() const {
  if (NumberRep::is_small(*this) || is_infinite()) return *this;
  Scratch result(precision());
  mpfr_ceil(result, View(*this));
  if (mpfr_zero_p(result)) mpfr_set_zero(result, 1);
  return NumberRep::finish(result, precision());
}

std::strong_ordering operator<=>(const Number& a, const Number& b) {
  if (NumberRep::is_small(a) && NumberRep::is_small(b)) {
    return NumberRep::whole(a) <=> NumberRep::whole(b);
  }
  return mpfr_cmp(View(a), View(b)) <=> 0;
}

bool operator==(const Number& a, const Number& b) {
  if (NumberRep::is_small(a) && NumberRep::is_small(b)) {
    return NumberRep::whole(a) == NumberRep::whole(b);
  }
  if (a.sign() != b.sign()) return false;
  // At one precision the digits tell all numbers apart.
  if (a.precision() == b.precision()) return (a <=> b) == 0;
  const bool whole = a.is_integer();
  if (whole != b.is_integer()) return false;
  if (whole || a.is_infinite() || b.is_infinite()) return (a <=> b) == 0;
  const Decimal first = shortest_decimal(a);
  const Decimal second = shortest_decimal(b);
  return first.point == second.point && first.digits == second.digits;
}

std::uint64_t Number::hash() const {
  constexpr std::uint64_t kSeed = 0x51ED270B0A1F4C33u;
  if (const auto whole = to_int64()) return mix(static_cast<std::uint64_t>(*whole), kSeed);
  const std::uint64_t sign_part = sign() < 0 ? 1 : 2;
  if (is_infinite()) return mix(sign_part, ~kSeed);
  if (!is_integer()) {
    const Decimal decimal = shortest_decimal(*this);
    return mix(hash_bytes(decimal.digits) + sign_part, static_cast<std::uint64_t>(decimal.point));
  }
  // A whole number follows from its exponent and the limbs that are not zero.
  const BigNumber& big = NumberRep::big(*this);
  std::uint64_t result = mix(static_cast<std::uint64_t>(big.exponent), kSeed + sign_part);
  std::uint32_t first = 0;
  while (first < big.size && big.limbs()[first] == 0) ++first;
  for (std::uint32_t i = first; i < big.size; ++i) result = mix(result, big.limbs()[i]);
  return result;
}

}  // namespace tofu::value
