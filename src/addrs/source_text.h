// The small text operations that module sources are read with: clean paths and
// subdirectories after //.
//
// Each does what the Go function that OpenTofu uses for it does.
#pragma once

#include <string>
#include <string_view>

#include "addrs/module_source.h"
#include "base/result.h"

namespace tofu::addrs {

// The shortest path that means the same, by text alone: path.Clean.
std::string clean_path(std::string_view path);
std::string join_paths(std::string_view first, std::string_view second);

struct SplitSource {
  std::string package;  // with the query, if there is one
  std::string subdir;   // clean; empty if there is none
};
SplitSource split_subdir(std::string_view source);

// A source without a subdirectory, normalized: shorthands become URLs.
base::Result<RemoteSource> normalize_package(std::string_view source);

}  // namespace tofu::addrs
