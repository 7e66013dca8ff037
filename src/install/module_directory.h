// Reading the files of a module's directory.
//
// The one place where configuration meets the disk: all other code works on the results.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/declare.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::install {

// The directory of test files besides the module's own directory.
inline constexpr std::string_view kDefaultTestDirectory = "tests";

// Reads and parses every configuration file of `directory`, which is also how
// people are shown where the files are. Files that cannot be read or parsed are
// reported; the others are returned. Nothing if the directory cannot be listed.
std::optional<config::ParsedFiles> read_module_directory(const std::string& directory,
                                                         diag::SourceMap& sources,
                                                         diag::Diagnostics& diags);
// The same for a copy that may still be on its way: the files are read from `original`, the source
// of the copy, and shown as those of `directory`.
std::optional<config::ParsedFiles> read_module_copy(const std::string& original,
                                                    const std::string& directory,
                                                    diag::SourceMap& sources,
                                                    diag::Diagnostics& diags);

// Reads and parses the test files of a module: those in `directory` itself and
// those in `tests`, a directory below it. Their names are relative to `directory`.
std::vector<config::ParsedFile> read_test_files(const std::string& directory,
                                                const std::string& tests, diag::SourceMap& sources,
                                                diag::Diagnostics& diags);

// Names of the files in a directory; nothing if it cannot be listed.
std::optional<std::vector<std::string>> file_names(const std::string& directory);

// A directory with symbol libraries and no configuration stands for a module that imports them, so
// that commands can use them: the library of the directory as "this", one in a file of its own by
// the name of the file. Adds the file of that module, if there is a library.
void add_library_root(const std::string& directory, config::ParsedFiles& files,
                      diag::SourceMap& sources, diag::Diagnostics& diags);

// Whether there is any configuration file in `directory`.
bool has_configuration(const std::string& directory);

}  // namespace tofu::install
