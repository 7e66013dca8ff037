// The heap form of a number and its way in and out of MPFR.
//
// Inside value/number*.cc only: MPFR's header goes no further. A BigNumber is a Node with the limbs
// right behind it; a View lends an existing number to MPFR without copying, a Scratch is memory for
// a result.
//
// Exponents: MPFR may use its whole range while it computes; finish() brings a
// result back into the range that numbers have (32 bits, beyond which they are
// infinite or zero).
#pragma once

// As macros some of MPFR's functions keep a pointer into an operand that is gone.
#define MPFR_USE_NO_MACRO

#include <cstdint>
#include <mpfr.h>
#include <optional>
#include <string>

#include "value/number.h"

namespace tofu::value {

struct BigNumber : Node {
  BigNumber(int mpfr_kind, mpfr_exp_t number_exponent, int bits, std::uint32_t limbs)
      : Node(Kind::Number, 0, limbs), form(mpfr_kind), precision(bits), exponent(number_exponent) {}
  int form;  // MPFR's "kind": zero, infinity or regular, negative for negative numbers
  int precision;
  mpfr_exp_t exponent;
  mp_limb_t* limbs() { return reinterpret_cast<mp_limb_t*>(this + 1); }
  const mp_limb_t* limbs() const { return reinterpret_cast<const mp_limb_t*>(this + 1); }
};

// A number as an MPFR operand. Valid while the Number lives.
class View {
 public:
  explicit View(const Number& number);
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  mpfr_srcptr get() const { return number_; }
  operator mpfr_srcptr() const { return number_; }

 private:
  mp_limb_t limb_ = 0;  // of a small number
  mpfr_t number_;
};

// Memory for a result of the given precision.
class Scratch {
 public:
  explicit Scratch(mpfr_prec_t precision);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();
  mpfr_ptr get() { return number_; }
  operator mpfr_ptr() { return number_; }
  operator mpfr_srcptr() const { return number_; }

 private:
  static constexpr mpfr_prec_t kInside = 640;
  mp_limb_t limbs_[kInside / 64];
  bool outside_;
  mpfr_t number_;
};

class Integer {  // a GMP integer that clears itself
 public:
  Integer() { mpz_init(number_); }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;
  ~Integer() { mpz_clear(number_); }
  operator mpz_ptr() { return number_; }
  operator mpz_srcptr() const { return number_; }

 private:
  mpz_t number_;
};

struct NumberRep {
  static std::uintptr_t bits(const Number& n) { return n.bits_; }
  static Number from_bits(std::uintptr_t bits) { return Number(bits, nullptr); }
  static bool is_small(const Number& n) { return value::is_small(n.bits_); }
  static std::int64_t whole(const Number& n) { return small_whole(n.bits_); }
  static const BigNumber& big(const Number& n) {
    return static_cast<const BigNumber&>(*node_of(n.bits_));
  }
  // A finished result as a number of this precision: in range, and in the
  // handle if it fits. `result` is not NaN and has no more bits than that.
  static Number finish(mpfr_srcptr result, int precision);
  // The same number on the heap even if it fits the handle, so that tests can
  // hold the short way of an operation to its long way.
  static Number in_heap_form(const Number& number);
  // The exact whole number, not rounded.
  static Number from_integer(mpz_srcptr whole, int precision);
};

// Decimal digits of a number's absolute value: 0.d1d2d3… × 10^point, without
// trailing zeros. No digits: zero.
struct Decimal {
  std::string digits;
  std::int64_t point = 0;

  // To `count` digits, halves to even. A count beyond the digits changes nothing.
  void round(std::int64_t count);
  void round_down(std::int64_t count);
  void round_up(std::int64_t count);
};

// The shortest digits that only this number, at its precision, rounds to.
Decimal shortest_decimal(const Number& number);
// At least `count` digits of a finite number, exact enough to be rounded there.
Decimal exact_decimal(mpfr_srcptr number, std::int64_t count);

}  // namespace tofu::value
