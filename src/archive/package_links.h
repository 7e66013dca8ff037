// Whether a package that is on disk may stay: its links and its size.
//
// A link may lead to any place inside its package, whether something is there or
// not. One that leaves it, even to come back, would read or write files of this
// machine, and would change its meaning when the package is moved.
#pragma once

#include <stop_token>
#include <string>

#include "archive/limits.h"
#include "base/result.h"

namespace tofu::archive {

// Looks at everything below `directory`. An error names the first entry that may
// not be there: a link that leads out, or what is neither file, directory nor link.
base::Result<void> check_package(const std::string& directory, const FetchLimits& limits,
                                 const std::stop_token& stop);

}  // namespace tofu::archive
