// The rules and the modules that a run of lint covers.
//
// Apart from lint.h, because the options of every run have one of these.
#pragma once

#include <cstdint>

#include "lint/selection.h"

namespace tofu::lint {

enum class Scope : std::uint8_t {
  Root,   // the root module
  Local,  // and the modules that are reached through relative paths only
};

struct Request {
  Selection selection = {};
  Scope scope = Scope::Root;
};

}  // namespace tofu::lint
