// Evaluates the lifecycle block of a resource.
//
// Conditions are in conditions.h; create_before_destroy and ignore_changes are read with
// the configuration.
#pragma once

#include "config/objects.h"
#include "diag/diagnostic.h"
#include "eval/module_scope.h"
#include "value/value.h"

namespace tofu::eval {

// Reports a constant that is no bool; everything else is left for evaluate_prevent_destroy().
void check_prevent_destroy(const config::Resource& resource, diag::Diagnostics& diags);

// Whether instances must not be destroyed: a bool, null or unknown. The last two are errors when a
// resource is to be destroyed. The value holds for all instances, also for those that are not in
// the configuration any more, so `names` stands outside of each.
diag::Checked<value::Value> evaluate_prevent_destroy(const config::Resource& resource,
                                                     const ModuleScope& names,
                                                     diag::Diagnostics& diags);

}  // namespace tofu::eval
