// Whether a value is null, as far as it is known.
//
// An unknown value may carry a promise that it will not be null; without one it may still turn out
// to be. Private to this component.
#pragma once

#include "value/value.h"

namespace tofu::value {

inline bool surely_not_null(const Plain& v) {
  return v.is_unknown() ? v.refinements().not_null : !v.is_null();
}

}  // namespace tofu::value
