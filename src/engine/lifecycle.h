// What the lifecycle block of a resource says about destroying its objects: whether that is
// refused, and whether they are left alone instead; and whether it has conditions.
//
// The rest of the block is read with the configuration, or by the rules for changes.
#pragma once

#include "addrs/resource.h"
#include "config/objects.h"
#include "diag/diagnostic.h"
#include "eval/names.h"
#include "plans/action.h"

namespace tofu::engine {

// `destroy = false`: objects are left alone where they would be destroyed.
bool keeps_objects(const config::Resource& resource);

// Reports an action on `address` that `prevent_destroy` forbids, or a value of it that
// cannot be used. `names` stands outside of each instance.
void check_prevent_destroy(const config::Resource& resource,
                           const addrs::AbsResourceInstance& address, plans::Action action,
                           const eval::Names& names, diag::Diagnostics& diags);

// Whether a resource has conditions, which are judged for each of its instances.
inline bool has_conditions(const config::Resource& resource) {
  return !resource.preconditions.empty() || !resource.postconditions.empty();
}

}  // namespace tofu::engine
