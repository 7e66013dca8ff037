// The order of a plan, and the rows that it is about, as a part of a plan's bytes.
//
// Numbers are written as differences from those before them, which mostly take one byte. The reader
// trusts nothing: every number that it returns is one of a row, a step or a change that exists.
#pragma once

#include <cstddef>

#include "plans/execution_order.h"
#include "value/pack.h"

namespace tofu::plans {

void write_order(const BoundRows& rows, const ExecutionOrder& order, value::PackWriter& pack);

// Of a plan with this many changes. After an error `pack` has failed.
ExecutionOrder read_order(std::size_t change_count, BoundRows& rows, value::PackReader& pack);

}  // namespace tofu::plans
