// libidn2, loaded when the first international host name is read.
//
// See base/dynamic_library.h for why. Types and constants come from its own header.
// Private to idna.cc.
#pragma once

#include <idn2.h>

#include "base/result.h"

namespace tofu::base {

struct Idn2Library {
  decltype(&::idn2_to_ascii_8z) to_ascii;
  decltype(&::idn2_to_unicode_8z8z) to_unicode;
};

// The library, the same each time; an error if it is missing. Safe to call from several threads.
const Result<Idn2Library>& idn2_library();

}  // namespace tofu::base
