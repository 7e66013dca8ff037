// Why a call failed, taken from the diagnostic about it.
//
// For functions that are written in the language: when a call inside one fails, so does
// its own, and its message is the cause with one more place, not a sentence around a
// sentence.
#pragma once

#include <string_view>

#include "diag/diagnostic.h"

namespace tofu::syntax {

// The function's own error text, as part of the diagnostic's detail. Empty if the diagnostic is not
// that of a function that failed.
std::string_view failure_cause(const diag::Diagnostic& problem);

}  // namespace tofu::syntax
