// Go's regular-expression syntax turned into what RE2 reads.
//
// Only the few constructs that the two read differently are touched; everything else, including
// errors, is passed on to RE2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tofu::functions {

struct RewrittenPattern {
  std::string text;
  std::vector<std::string> names;  // of the groups in order, empty where there is none
};

base::Result<RewrittenPattern> rewrite_go_pattern(std::string_view pattern);

}  // namespace tofu::functions
