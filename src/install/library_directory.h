// Symbol libraries on this disk: a directory of *.sym.hcl files, or one file.
//
// Libraries are read where they are; nothing is copied. Those from elsewhere are in
// packages, which somebody else knows: without such a somebody they are an error. What
// is in a package cannot name libraries outside of it by a path.
#pragma once

#include <functional>
#include <map>
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

// What relative sources in a directory start from.
struct LibraryHome {
  std::string directory;  // of a module's copy: its original
  std::string package;    // that they cannot leave; empty if there is none
};

// Of a directory in one of the packages that `holder`, which ends with "/", holds. If it
// is not in there, it is in no package.
LibraryHome library_home_in(const std::string& directory, const std::string& holder);

// Whoever knows the packages.
struct PackagedLibraries {
  // The file or directory of a library from elsewhere. Nothing if an error was added.
  std::function<std::optional<std::string>(const config::LibraryRequest& request,
                                           diag::Diagnostics& diags)>
      find = {};
  std::function<LibraryHome(const std::string& directory)> home = [](const std::string& directory) {
    return LibraryHome{directory, ""};
  };
};

class LibraryDirectories final : public config::LibraryFinder {
 public:
  explicit LibraryDirectories(diag::SourceMap& sources) : sources_(sources) {}
  void set_packages(PackagedLibraries packages) { packages_ = std::move(packages); }

  std::optional<config::LibraryPlace> locate(const config::LibraryRequest& request,
                                             diag::Diagnostics& diags) override;
  std::vector<std::unique_ptr<syntax::File>> read(const config::LibraryPlace& place,
                                                  diag::Diagnostics& diags) override;

  // What was answered so far, for whoever keeps the configuration: where each import
  // led, and which files each library has, by its path.
  struct Import {
    std::string key;
    config::LibraryPlace place;
  };
  const std::vector<Import>& imports() const { return imports_; }
  const std::map<std::string, std::vector<diag::FileId>>& files() const { return files_; }

 private:
  std::optional<config::LibraryPlace> find(const config::LibraryRequest& request,
                                           diag::Diagnostics& diags);

  diag::SourceMap& sources_;
  PackagedLibraries packages_;
  std::vector<Import> imports_;
  std::map<std::string, std::vector<diag::FileId>> files_;
};

// Says what an import asks for: two that get the same answer may have different keys,
// but not the other way round.
std::string import_key(const config::LibraryRequest& request);

// The libraries that lie in `directory` itself, as paths: the directory if it has
// *.sym.hcl files, and each *.tfsym.hcl file, which is one by itself.
std::vector<std::string> libraries_in(const std::string& directory);

}  // namespace tofu::install
