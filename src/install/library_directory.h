// Symbol libraries on this disk: a directory of *.sym.hcl files, or one file.
//
// Libraries are read where they are; nothing is copied. Those from elsewhere come
// with module packages, and until then are an error that says so.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "config/library_finder.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::install {

class LibraryDirectories final : public config::LibraryFinder {
 public:
  explicit LibraryDirectories(diag::SourceMap& sources) : sources_(sources) {}
  std::optional<config::LibraryPlace> locate(const config::LibraryRequest& request,
                                             diag::Diagnostics& diags) override;
  std::vector<std::unique_ptr<syntax::File>> read(const config::LibraryPlace& place,
                                                  diag::Diagnostics& diags) override;

 private:
  diag::SourceMap& sources_;
};

}  // namespace tofu::install
