// Random values and types, for properties that hold for all of them.
//
// Everything follows from the generator that is passed in, so a seed repeats a
// run. Nulls are always among the values, unknowns on request; marks never.
#pragma once

#include <random>

#include "value/value.h"

namespace tofu::value {

struct RandomOptions {
  bool unknown = true;
  int depth = 3;
};

Value random_value(std::mt19937& random, RandomOptions options);
Value random_value(std::mt19937& random, Type type, RandomOptions options);
Type random_type(std::mt19937& random, int depth);

}  // namespace tofu::value
