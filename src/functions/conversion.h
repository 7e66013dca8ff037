// The parts of the conversion family, one file each.
#pragma once

#include "functions/families.h"

namespace tofu::functions {

void add_assume(List& list);  // assume.cc: assumeequal, assumenotnull and their kin
void add_lazy(List& list);    // lazy.cc: try, can, convert

}  // namespace tofu::functions
