// Looking into the files of a package: its metadata, and directories in it.
//
// Packages are untrusted, so a path in one is followed only as long as it stays inside, links
// included.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/package_metadata.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::install {

// The metadata of the package at `directory`. Nothing if it has no such file; after errors, which
// are reported, the valid parts.
std::optional<config::PackageMetadata> read_package_metadata(const std::string& directory,
                                                             diag::SourceMap& sources,
                                                             diag::Diagnostics& diags);

config::PathInPackage look_in_package(const std::string& package, const std::string& path);

// The directory that `outer` and `inner`, one below the other, lead to in a package.
// Parts may have the pattern *, which has to mean one directory. Clean, relative.
base::Result<std::string> find_subdir(const std::string& package, std::string_view outer,
                                      std::string_view inner);

}  // namespace tofu::install
