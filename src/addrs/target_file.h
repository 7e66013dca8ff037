// Files that list targets, as -target-file and -exclude-file name them: an address
// on each line.
//
// A line that begins with # is a comment. An empty line is an error, as in OpenTofu: it names
// nothing.
#pragma once

#include <vector>

#include "addrs/parse.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::addrs {

// The targets of all lines that are right; an error for each of the others, at its
// place.
std::vector<Target> parse_target_file(const diag::SourceMap& sources, diag::FileId file,
                                      diag::Diagnostics& diags);

}  // namespace tofu::addrs
