// Paths as text: joining, cleaning and taking apart, without touching the disk.
//
// The rules are those of Go's path/filepath on Unix, since the language's path
// functions and error texts follow them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::functions {

// Shortest equal path: no doubled slashes, no ".", no ".." after a name.
// "." for an empty path.
std::string clean_path(std::string_view path);
// Cleaned; empty parts are left out.
std::string join_paths(std::string_view first, std::string_view second);
std::string base_name(std::string_view path);
std::string directory_name(std::string_view path);
inline bool is_absolute(std::string_view path) { return path.starts_with('/'); }
// How to get from `base` to `target`, both cleaned. Nothing if that is not known, because `base`
// climbs out of a directory whose name is not known.
std::optional<std::string> relative_path(std::string_view base, std::string_view target);

// A leading "~" or "~/" replaced by `home`. Other users' homes are an error.
base::Result<std::string> expand_home(std::string_view path, std::string_view home);

}  // namespace tofu::functions
