// The source of symbol libraries.
//
// Asked in two steps, because a library that many modules import is read once: first the place of
// an import, then (for a new place) its files. Only implementations of this interface read the
// disk.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "addrs/module_source.h"
#include "addrs/version.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::symbols {

// The request of a symbols block.
struct LibraryRequest {
  std::string name;  // the label of the block
  addrs::ModuleSource source;
  std::optional<addrs::Constraints> version;
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
  virtual diag::Checked<LibraryPlace> locate(const LibraryRequest& request,
                                             diag::Diagnostics& diags) = 0;
  // The parsed files of a library that locate() found. Read and parse errors are reported; the rest
  // is returned.
  virtual std::vector<std::unique_ptr<syntax::File>> read(const LibraryPlace& place,
                                                          diag::Diagnostics& diags) = 0;
};

}  // namespace tofu::symbols
