// Finding files by pattern, for fileset.
//
// Patterns know *, ? and [a-z] within a name, {a,b} anywhere, and ** as a whole
// name for any number of directories. Names that begin with a period match like
// others and symbolic links to directories are followed. Directories that cannot
// be read count as empty.
//
// The rules are those of the doublestar library, which OpenTofu uses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tofu::functions {

// Paths that match, sorted, each once: files, directories and dangling links
// alike. `pattern` is a cleaned path.
base::Result<std::vector<std::string>> glob(std::string_view pattern);

// Whether `name` matches a pattern without braces and slashes. Nothing if the
// pattern is broken in a way that matters for this name.
std::optional<bool> matches_name(std::string_view pattern, std::string_view name);

}  // namespace tofu::functions
