// Where symbol libraries come from.
//
// Asked in two steps, because a library that many modules import is read once:
// first where an import leads to, then (for a place not met before) what is there.
// Only what implements this door reads the disk.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "addrs/module_source.h"
#include "config/version.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::config {

// What a symbols block asks for.
struct LibraryRequest {
  std::string name;  // the label of the block
  addrs::ModuleSource source;
  std::optional<Constraints> version;
  std::string parent_directory;  // of the module or library that imports
  diag::SourceRange block_range;
  diag::SourceRange source_range;
};

struct LibraryPlace {
  std::string path;       // clean: two requests that mean the same library get the same
  std::string directory;  // what sources inside the library are relative to
};

class LibraryFinder {
 public:
  virtual ~LibraryFinder() = default;
  // Nothing if and only if an error was added.
  virtual std::optional<LibraryPlace> locate(const LibraryRequest& request,
                                             diag::Diagnostics& diags) = 0;
  // The parsed files of a library that locate() found. What cannot be read or parsed
  // is reported; the rest is returned.
  virtual std::vector<std::unique_ptr<syntax::File>> read(const LibraryPlace& place,
                                                          diag::Diagnostics& diags) = 0;
};

}  // namespace tofu::config
