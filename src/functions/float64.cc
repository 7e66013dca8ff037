#include "functions/float64.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tofu::functions {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// e to the power x: the argument is cut down to |r| ≤ ln(2)/32 by powers of two
// and four halvings, a Taylor series gives e^r - 1, and doubling takes the
// halvings back. Each step is fused exactly where Go's is.
double go_exp(double x) {
  constexpr double kLog2E = 1.4426950408889634073599246810018920;
  constexpr double kLn2Upper = 0.69314718055966295651160180568695068359375;
  constexpr double kLn2Lower = 0.28235290563031577122588448175013436025525412068e-12;
  constexpr double kOverflow = 7.09782712893384e+02;
  constexpr double kTaylor[] = {1.9841269841269841270e-4,
                                1.3888888888888888889e-3,
                                8.3333333333333333333e-3,
                                4.1666666666666666667e-2,
                                1.6666666666666666667e-1,
                                0.5,
                                1.0};
  if (std::isnan(x)) return x;
  if (x > kOverflow) return kInfinity;
  if (x < -1000) return 0;  // also keeps the power of two below within an int

  const int power = static_cast<int>(std::nearbyint(kLog2E * x));
  double r = std::fma(-kLn2Upper, power, x);
  r = std::fma(-kLn2Lower, power, r) * 0.0625;
  double series = 2.4801587301587301587e-5;
  for (const double term : kTaylor) series = std::fma(series, r, term);
  r *= series;
  for (int doubling = 0; doubling < 3; ++doubling) r *= r + 2.0;
  r = std::fma(r, r + 2.0, 1.0);
  return std::ldexp(r, power);
}

bool is_odd(double x) {
  constexpr double kAllEvenFrom = 9007199254740992.0;  // 2^53
  return std::fabs(x) < kAllEvenFrom && std::trunc(x) == x &&
         (static_cast<std::int64_t>(x) & 1) != 0;
}

// The cases that need no calculation, in the order that decides between them.
// Not set: calculate.
struct Settled {
  bool yes = false;
  double result = 0;
};

Settled settled_power(double x, double y) {
  if (y == 0 || x == 1) return {true, 1};
  if (y == 1) return {true, x};
  if (std::isnan(x) || std::isnan(y)) return {true, kNotANumber};
  if (x == 0) {
    const bool keeps_sign = std::signbit(x) && is_odd(y);
    if (y < 0) return {true, keeps_sign ? -kInfinity : kInfinity};
    return {true, keeps_sign ? x : 0};
  }
  if (std::isinf(y)) {
    if (x == -1) return {true, 1};
    return {true, (std::fabs(x) < 1) == (y > 0) ? 0 : kInfinity};
  }
  if (std::isinf(x)) {
    if (x < 0) return {true, go_pow(1 / x, -y)};
    return {true, y < 0 ? 0 : kInfinity};
  }
  if (y == 0.5) return {true, std::sqrt(x)};
  if (y == -0.5) return {true, 1 / std::sqrt(x)};
  return {};
}

}  // namespace

double go_log(double x) {
  constexpr double kHalfSqrt2 = 7.07106781186547524401e-01;
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kL1 = 6.666666666666735130e-01;
  constexpr double kL2 = 3.999999999940941908e-01;
  constexpr double kL3 = 2.857142874366239149e-01;
  constexpr double kL4 = 2.222219843214978396e-01;
  constexpr double kL5 = 1.818357216161805012e-01;
  constexpr double kL6 = 1.531383769920937332e-01;
  constexpr double kL7 = 1.479819860511658591e-01;
  if (x == 0) return -kInfinity;
  if (x < 0) return kNotANumber;
  if (std::isnan(x) || std::isinf(x)) return x;

  // x = fraction * 2^exponent. The bits are taken as they stand, so a number
  // below 2^-1022 comes out as inexact as it does in Go.
  const auto bits = std::bit_cast<std::uint64_t>(x);
  double fraction = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) | 0x3FE0000000000000);
  double exponent = static_cast<double>(static_cast<int>((bits >> 52) & 0x7FF) - 0x3FE);
  if (fraction <= kHalfSqrt2) {
    fraction *= 2;
    exponent -= 1;
  }

  const double f = fraction - 1;
  const double s = f / (2 + f);
  const double s2 = s * s;
  const double s4 = s2 * s2;
  const double odd = s2 * (kL1 + s4 * (kL3 + s4 * (kL5 + s4 * kL7)));
  const double even = s4 * (kL2 + s4 * (kL4 + s4 * kL6));
  const double half_square = 0.5 * f * f;
  const double correction = s * (half_square + (odd + even)) + exponent * kLn2Low;
  return exponent * kLn2High - ((half_square - correction) - f);
}

double go_pow(double x, double y) {
  if (const Settled settled = settled_power(x, y); settled.yes) return settled.result;

  double whole_part = std::trunc(std::fabs(y));
  double rest = std::fabs(y) - whole_part;
  if (rest != 0 && x < 0) return kNotANumber;
  if (whole_part >= 9.223372036854775808e18) {
    if (x == -1) return 1;
    return (std::fabs(x) < 1) == (y > 0) ? 0 : kInfinity;
  }

  // The result is kept as mantissa * 2^exponent so that nothing overflows early.
  double mantissa = 1;
  std::int64_t exponent = 0;
  if (rest != 0) {
    if (rest > 0.5) {
      rest -= 1;
      whole_part += 1;
    }
    mantissa = go_exp(rest * go_log(x));
  }

  int shift = 0;
  double square = std::frexp(x, &shift);
  std::int64_t square_exponent = shift;
  constexpr std::int64_t kBeyondAnyDouble = 1 << 12;
  for (auto bits_left = static_cast<std::int64_t>(whole_part); bits_left != 0; bits_left >>= 1) {
    if (square_exponent < -kBeyondAnyDouble || square_exponent > kBeyondAnyDouble) {
      exponent += square_exponent;  // enough to reach zero or infinity
      break;
    }
    if ((bits_left & 1) != 0) {
      mantissa *= square;
      exponent += square_exponent;
    }
    square *= square;
    square_exponent *= 2;
    if (square < 0.5) {
      square += square;
      square_exponent -= 1;
    }
  }
  if (y < 0) {
    mantissa = 1 / mantissa;
    exponent = -exponent;
  }
  return std::ldexp(mantissa, static_cast<int>(exponent));
}

}  // namespace tofu::functions
