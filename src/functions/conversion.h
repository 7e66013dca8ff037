// The parts of the conversion family, one file each.
//
// add_conversion() in conversion.cc is what the table calls; it adds these. Private to
// conversion*.cc.
#pragma once

#include "functions/families.h"

namespace tofu::functions {

void add_assume(List& list);  // assume.cc: assumeequal, assumenotnull and their kin
void add_lazy(List& list);    // lazy.cc: try, can, convert

}  // namespace tofu::functions
