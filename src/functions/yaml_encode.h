// Values as YAML text, in exactly the spelling that OpenTofu's yamlencode has.
//
// Strings are always quoted (or literal blocks, if they have line ends), so that
// no reader takes them for something else. libyaml's own emitter is not used
// because its spelling differs between versions and people compare this text.
#pragma once

#include <string>

#include "base/result.h"
#include "value/value.h"

namespace tofu::functions {

// `v` is wholly known and has no marks.
base::Result<std::string> to_yaml(const value::Value& v);

}  // namespace tofu::functions
