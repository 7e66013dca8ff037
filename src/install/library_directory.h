// Symbol libraries on this disk: a directory of *.sym.hcl files, or one file.
//
// Libraries are read where they are; nothing is copied. Fetched libraries are in packages, which
// another class finds: without it they are an error. Files in a package cannot name libraries
// outside of it by a path.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "symbols/library_finder.h"
#include "syntax/parser.h"

namespace tofu::install {

// The base of relative sources in a directory.
struct LibraryHome {
  std::string directory;  // of a module's copy: its original
  std::string package;    // that they cannot leave; empty if there is none
};

// Of a directory in one of the packages that `holder`, which ends with "/", holds. If it
// is not in there, it is in no package.
LibraryHome library_home_in(const std::string& directory, const std::string& holder);

// Finds the packages.
struct PackagedLibraries {
  // The file or directory of a fetched library. Nothing if an error was added.
  std::function<std::optional<std::string>(const symbols::LibraryRequest& request,
                                           diag::Diagnostics& diags)>
      find = {};
  std::function<LibraryHome(const std::string& directory)> home = [](const std::string& directory) {
    return LibraryHome{directory, ""};
  };
};

class LibraryDirectories final : public symbols::LibraryFinder {
 public:
  explicit LibraryDirectories(diag::SourceMap& sources) : sources_(sources) {}
  void set_packages(PackagedLibraries packages) { packages_ = std::move(packages); }

  std::optional<symbols::LibraryPlace> locate(const symbols::LibraryRequest& request,
                                              diag::Diagnostics& diags) override;
  std::vector<std::unique_ptr<syntax::File>> read(const symbols::LibraryPlace& place,
                                                  diag::Diagnostics& diags) override;

  // The results so far, for the owner of the configuration: where each import led, and which files
  // each library has, by its path.
  struct Import {
    std::string key;
    symbols::LibraryPlace place;
  };
  const std::vector<Import>& imports() const { return imports_; }
  const std::map<std::string, std::vector<diag::FileId>>& files() const { return files_; }

 private:
  std::optional<symbols::LibraryPlace> find(const symbols::LibraryRequest& request,
                                            diag::Diagnostics& diags);

  diag::SourceMap& sources_;
  PackagedLibraries packages_;
  std::vector<Import> imports_;
  std::map<std::string, std::vector<diag::FileId>> files_;
};

// The request of an import: two that get the same answer may have different keys, but not the other
// way round.
std::string import_key(const symbols::LibraryRequest& request);

// The libraries that lie in `directory` itself, as paths: the directory if it has
// *.sym.hcl files, and each *.tfsym.hcl file, which is one by itself.
std::vector<std::string> libraries_in(const std::string& directory);

}  // namespace tofu::install
