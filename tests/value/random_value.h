// Random values for properties that hold for all of them.
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
