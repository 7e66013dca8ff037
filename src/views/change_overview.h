// A summary of a long plan, one line per resource.
//
// It stands at the end of a long plan, where a terminal shows it last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plans/plan.h"
#include "views/paint.h"

namespace tofu::views {

// Plans with fewer changes are easily looked over, and have no overview.
inline constexpr std::size_t kLongPlan = 20;

// Addresses by action; instances of a resource as one line. `shown` are positions
// of plan.changes, in the order of display. Empty for a short plan.
std::string change_overview(const plans::Plan& plan, const std::vector<std::uint32_t>& shown,
                            const Paint& paint);

}  // namespace tofu::views
