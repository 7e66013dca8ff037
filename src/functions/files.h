// Reading files on behalf of the language's functions.
//
// A path of the configuration may begin with "~" and is relative to the base
// directory otherwise. Errors are clauses without the path, because whether the
// path may be shown depends on marks that only the caller sees.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "functions/table.h"

namespace tofu::functions {

struct FileError {
  std::string what;
  bool missing = false;  // nothing is there
};

// The path as the system knows it: home expanded, base directory put before,
// cleaned.
base::Result<std::string> locate(const Environment& environment, std::string_view path);

// The whole content. A file without an end, such as a device, is an error.
base::Result<std::string, FileError> read_file(const Environment& environment,
                                               std::string_view path);

// The result recorded by an earlier run, and recording one for the next run: see found_files.h.
const std::string* found_before(const Environment& environment, std::string_view question,
                                std::string_view path);
void record_file_exists(const Environment& environment, std::string_view question,
                        std::string_view path, std::string_view answer);

// Gives the content of a file to `take` piece by piece, so that large files
// need no memory. Stops when `take` says false.
base::Result<void, FileError> read_pieces(const Environment& environment, std::string_view path,
                                          const std::function<bool(std::string_view)>& take);

}  // namespace tofu::functions
