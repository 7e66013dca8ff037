// What the lifecycle block of a resource says, as far as it has to be evaluated.
//
// Conditions are in conditions.h; create_before_destroy and ignore_changes are read with
// the configuration.
#pragma once

#include <optional>

#include "config/objects.h"
#include "diag/diagnostic.h"
#include "eval/names.h"
#include "value/value.h"

namespace tofu::eval {

// Reports a constant that is no bool; everything else is left for evaluate_prevent_destroy().
void check_prevent_destroy(const config::Resource& resource, diag::Diagnostics& diags);

// Whether instances must not be destroyed: a bool, null or unknown. The last two are mistakes
// once something is to be destroyed. The value holds for all instances, also for those that
// are not in the configuration any more, so `names` stands outside of each. Nothing if and
// only if an error was added.
std::optional<value::Value> evaluate_prevent_destroy(const config::Resource& resource,
                                                     const Names& names, diag::Diagnostics& diags);

}  // namespace tofu::eval
