// The small text operations that module sources are read with: clean paths,
// subdirectories after //, URLs. For sources of packages only, read here or fetched.
//
// Each does what the Go function that OpenTofu uses for it does.
#pragma once

#include <optional>
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

// Scheme of an absolute URL, in lower case; empty if the text is none.
std::string url_scheme(std::string_view text);

// Percent-escapes a path that has none; the opposite, unless an escape is broken.
std::string escape_path(std::string_view path);
std::optional<std::string> unescape(std::string_view text, bool plus_is_space);

// A source without a subdirectory, normalised: shorthands become URLs.
base::Result<RemoteSource> normalise_package(std::string_view source);

}  // namespace tofu::addrs
