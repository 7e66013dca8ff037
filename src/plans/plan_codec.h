// A plan as bytes, and back.
//
// The encoding is complete: a plan that is read again can be shown, and applied with the same
// program. The bytes are a part of a plan file; who reads them trusts nothing.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "plans/plan.h"

namespace tofu::plans {

std::string encode_plan(const Plan& plan);
// The same, piece by piece: the values of a plan can be large.
void encode_plan(const Plan& plan, const std::function<void(std::string_view piece)>& sink);

// The memory of the bytes goes as the plan comes, so that a large one is not there twice.
diag::Checked<Plan> decode_plan(std::string bytes, diag::Diagnostics& diags);

}  // namespace tofu::plans
