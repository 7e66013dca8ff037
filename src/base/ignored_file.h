// Files that are skipped where a directory is read as configuration.
//
// Editors leave backups beside the files that they edit, and hidden files are of other programs.
// OpenTofu skips the same names.
#pragma once

#include <string_view>

namespace tofu::base {

// Hidden files and editors' leftovers.
bool is_ignored_file(std::string_view name);

}  // namespace tofu::base
