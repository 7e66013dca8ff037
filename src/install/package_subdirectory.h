// Making a directory of a package a tree of its own.
//
// Links that were valid in the package may lead out of the directory once it is moved, to files of
// the user. Their targets are copied instead.
#pragma once

#include <stop_token>
#include <string>

#include "archive/tree_contents.h"
#include "base/result.h"
#include "install/package_fetcher.h"

namespace tofu::install {

// Copies the directory `subdir` of `package` to `into`, which does not exist yet. A link
// to a file of the package that is outside of the directory becomes a copy of the file;
// any other link that leads out is an error. On failure `into` does not exist.
base::Result<void> copy_subdirectory(const std::string& package, const std::string& subdir,
                                     const std::string& into, archive::TreeContents contents,
                                     const archive::FetchLimits& limits,
                                     const std::stop_token& stop);

}  // namespace tofu::install
