// The order of a program's rows, which is that of any numbered things: see base/graph.h.
//
// Imports its names into this component, because code that works with a program's rows uses them
// together.
#pragma once

#include "base/graph.h"

namespace tofu::eval {

using base::order;
using base::Ordered;
using base::Waits;

}  // namespace tofu::eval
