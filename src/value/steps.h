// The way from a container to one of its parts.
//
// Walks that change values keep the path of where they are, step by step. Private to this
// component.
#pragma once

#include <cstddef>

#include "value/path.h"
#include "value/value.h"

namespace tofu::value {

// To the item at `position` of a known container.
PathStep step_to(const Plain& container, std::size_t position);

}  // namespace tofu::value
