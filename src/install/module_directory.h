// Reading the files of a module's directory.
//
// The one place where configuration meets the disk: everything above works on
// what is read here.
#pragma once

#include <optional>
#include <string>

#include "config/declare.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::install {

// Reads and parses every configuration file of `directory`, which is also how
// people are shown where the files are. Files that cannot be read or parsed are
// reported; the others are returned. Nothing if the directory cannot be listed.
std::optional<config::ParsedFiles> read_module_directory(const std::string& directory,
                                                         diag::SourceMap& sources,
                                                         diag::Diagnostics& diags);

// Whether there is any configuration file in `directory`.
bool has_configuration(const std::string& directory);

}  // namespace tofu::install
