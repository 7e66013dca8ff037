// State files of versions 1 to 3, rewritten as version 4.
//
// These were written before 2019. They are small, so they are turned into the text
// of version 4, which then goes the way of every other file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::state {

// `text` is well-formed JSON of that version. The result is unchecked JSON of version 4.
base::Result<std::string> upgrade_to_version_4(std::string_view text, int version);

}  // namespace tofu::state
