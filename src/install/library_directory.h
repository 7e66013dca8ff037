// Symbol libraries on this disk: a directory of *.sym.hcl files, or one file.
//
// Libraries are read where they are; nothing is copied. Those from elsewhere are in
// packages, which somebody else knows: without such a somebody they are an error.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/library_finder.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::install {

// The file or directory of a library from elsewhere. Nothing if an error was added.
using RemoteLibraries = std::function<std::optional<std::string>(
    const config::LibraryRequest& request, diag::Diagnostics& diags)>;

class LibraryDirectories final : public config::LibraryFinder {
 public:
  explicit LibraryDirectories(diag::SourceMap& sources) : sources_(sources) {}
  void set_remote(RemoteLibraries remote) { remote_ = std::move(remote); }

  std::optional<config::LibraryPlace> locate(const config::LibraryRequest& request,
                                             diag::Diagnostics& diags) override;
  std::vector<std::unique_ptr<syntax::File>> read(const config::LibraryPlace& place,
                                                  diag::Diagnostics& diags) override;

 private:
  diag::SourceMap& sources_;
  RemoteLibraries remote_;
};

// The libraries that lie in `directory` itself, as paths: the directory if it has
// *.sym.hcl files, and each *.tfsym.hcl file, which is one by itself.
std::vector<std::string> libraries_in(const std::string& directory);

}  // namespace tofu::install
