#include <algorithm>

#include "base/check.h"
#include "value/number.h"
#include "value/number_rep.h"

// Each operation first tries whole numbers in the handle, which must give what
// the general way below it gives, precision and sign of zero included.

namespace tofu::value {

namespace {

int larger_precision(const Number& a, const Number& b) {
  return std::max(a.precision(), b.precision());
}

// The precision of a result of two small numbers: the larger one, which is the
// smaller code.
SmallPrecision joint(const Number& a, const Number& b) {
  return std::min(small_precision(NumberRep::bits(a)), small_precision(NumberRep::bits(b)));
}

bool both_small(const Number& a, const Number& b) {
  return NumberRep::is_small(a) && NumberRep::is_small(b);
}

using Operation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

// Nothing if the result would be not-a-number.
std::optional<Number> rounded(Operation operation, const Number& a, const Number& b) {
  const int precision = larger_precision(a, b);
  Scratch result(precision);
  operation(result, View(a), View(b), MPFR_RNDN);
  if (mpfr_nan_p(result.get())) return std::nullopt;
  return NumberRep::finish(result, precision);
}

std::optional<Number> sum(const Number& a, const Number& b) {
  if (both_small(a, b)) {
    const std::int64_t whole = NumberRep::whole(a) + NumberRep::whole(b);  // 61 bits: no overflow
    if (const auto precision = joint(a, b); fits_small(whole, precision)) {
      return NumberRep::from_bits(small_number(whole, precision));
    }
  }
  return rounded(mpfr_add, a, b);
}

std::optional<Number> difference(const Number& a, const Number& b) {
  if (both_small(a, b)) {
    const std::int64_t whole = NumberRep::whole(a) - NumberRep::whole(b);
    if (const auto precision = joint(a, b); fits_small(whole, precision)) {
      return NumberRep::from_bits(small_number(whole, precision));
    }
  }
  return rounded(mpfr_sub, a, b);
}

// The product is rounded to 512 bits; it then has the larger precision of the
// operands, or as many bits as it needs.
std::optional<Number> product(const Number& a, const Number& b) {
  if (both_small(a, b)) {
    std::int64_t whole = 0;
    const bool overflow = __builtin_mul_overflow(NumberRep::whole(a), NumberRep::whole(b), &whole);
    const auto precision = joint(a, b);
    // Zero may have to be negative.
    if (!overflow && whole != 0 && fits_small(whole, precision)) {
      return NumberRep::from_bits(small_number(whole, precision));
    }
  }
  Scratch result(kLiteralPrecision);
  mpfr_mul(result, View(a), View(b), MPFR_RNDN);
  if (mpfr_nan_p(result.get())) return std::nullopt;
  int precision = larger_precision(a, b);
  if (mpfr_regular_p(result.get())) {
    precision = std::max(precision, static_cast<int>(mpfr_min_prec(result)));
  }
  return NumberRep::finish(result, precision);
}

Number promised(std::optional<Number> result) {
  TOFU_CHECK(result.has_value(), "the operands were checked for infinities");
  return *std::move(result);
}

base::Result<Number> checked(std::optional<Number> result, const char* what) {
  if (!result) return base::Error{what};
  return *std::move(result);
}

}  // namespace

Number operator+(const Number& a, const Number& b) { return promised(sum(a, b)); }
Number operator-(const Number& a, const Number& b) { return promised(difference(a, b)); }
Number operator*(const Number& a, const Number& b) { return promised(product(a, b)); }

base::Result<Number> checked_add(const Number& a, const Number& b) {
  return checked(sum(a, b), "infinities of opposite sign have no sum");
}

base::Result<Number> checked_subtract(const Number& a, const Number& b) {
  return checked(difference(a, b), "an infinity minus itself is not a number");
}

base::Result<Number> checked_multiply(const Number& a, const Number& b) {
  return checked(product(a, b), "zero times infinity is not a number");
}

base::Result<Number> divide(const Number& a, const Number& b) {
  if (both_small(a, b)) {
    const std::int64_t dividend = NumberRep::whole(a);
    const std::int64_t divisor = NumberRep::whole(b);
    const auto precision = joint(a, b);
    if (dividend != 0 && divisor != 0 && dividend % divisor == 0 &&
        fits_small(dividend / divisor, precision)) {
      return NumberRep::from_bits(small_number(dividend / divisor, precision));
    }
  }
  return checked(rounded(mpfr_div, a, b), "zero by zero, or infinity by infinity, has no quotient");
}

// The remainder takes the precision of its left side, and the quotient is
// rounded before it is cut: the last digits of a remainder of fractions are
// those of OpenTofu, not those of exact arithmetic.
base::Result<Number> modulo(const Number& a, const Number& b) {
  if (b.sign() == 0) return a;
  if (a.is_infinite() || b.is_infinite()) {
    return base::Error{"the remainder with an infinity is undefined"};
  }
  if (both_small(a, b)) {
    // With 53 bits the rounding could show; the limit can be generous.
    constexpr std::int64_t kSafe = std::int64_t{1} << 50;
    const std::int64_t dividend = NumberRep::whole(a);
    const auto precision = small_precision(NumberRep::bits(a));
    if ((dividend > -kSafe && dividend < kSafe) ||
        (precision != SmallPrecision::Double && joint(a, b) != SmallPrecision::Double)) {
      return NumberRep::from_bits(small_number(dividend % NumberRep::whole(b), precision));
    }
  }
  const int precision = a.precision();
  const View left(a);
  const View right(b);
  Scratch quotient(larger_precision(a, b));
  mpfr_div(quotient, left, right, MPFR_RNDN);
  if (NumberRep::finish(quotient, larger_precision(a, b)).is_infinite()) {
    return base::Error{"the quotient is too large to have a remainder"};
  }
  mpfr_trunc(quotient, quotient);
  if (mpfr_zero_p(quotient.get())) mpfr_set_zero(quotient, 1);
  Scratch work(precision);
  mpfr_set(work, quotient, MPFR_RNDN);
  mpfr_mul(work, right, work, MPFR_RNDN);
  mpfr_sub(work, left, work, MPFR_RNDN);
  return NumberRep::finish(work, precision);
}

}  // namespace tofu::value
