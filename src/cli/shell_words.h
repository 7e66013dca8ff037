// Splitting text into words the way a shell does, for TF_CLI_ARGS.
//
// Blanks separate; single and double quotes and backslashes keep things
// together. Nothing is expanded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tofu::cli {

base::Result<std::vector<std::string>> split_words(std::string_view text);

}  // namespace tofu::cli
