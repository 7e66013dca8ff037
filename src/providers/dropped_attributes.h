// Removes attributes of a state that the current schema does not have: attributes that a provider
// has dropped since an object was stored. They are ignored, as OpenTofu does; everything else that
// does not fit is still an error.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "value/type.h"

namespace tofu::providers {

// The same JSON without the attributes that `type` does not have, at any depth.
base::Result<std::string> without_dropped_attributes(std::string_view json, value::Type type);

}  // namespace tofu::providers
