// A plan as bytes, and back.
//
// Everything that a plan has is kept, so that who reads it elsewhere can show it, and
// apply it with the same program. The bytes are a part of a plan file; who reads them
// trusts nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "plans/plan.h"

namespace tofu::plans {

std::string encode_plan(const Plan& plan);
// The same, piece by piece: the values of a plan can be large.
void encode_plan(const Plan& plan, const std::function<void(std::string_view piece)>& sink);

// Nothing if and only if an error was added. The memory of the bytes goes as the plan comes, so
// that a large one is not there twice.
std::optional<Plan> decode_plan(std::string bytes, diag::Diagnostics& diags);

}  // namespace tofu::plans
