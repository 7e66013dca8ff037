// Version constraints of a provider in their one normal form.
//
// Constraints come from many modules, so they are sorted and each is written once: lower bounds
// first, every number written out. Lock files have them in this form too.
#pragma once

#include <span>
#include <string>

#include "addrs/version.h"

namespace tofu::addrs {

// ">= 1.2.0, < 2.0.0"; empty if there are none.
std::string constraints_text(std::span<const Constraint> constraints);

}  // namespace tofu::addrs
