// The symbol libraries of a configuration: each loaded once, however many modules
// and libraries import it.
//
// Libraries are told apart by where they are, as the finder says. Loading follows
// imports from library to library, finds imports that lead back to where they began,
// and compiles what is imported before what imports it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/library.h"
#include "config/library_calls.h"
#include "config/library_finder.h"
#include "config/named.h"
#include "config/settings.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "functions/table.h"

namespace tofu::config {

class LibrarySet {
 public:
  // Without a finder every import is an error. `sources` outlives the set.
  LibrarySet(LibraryFinder* finder, const diag::SourceMap& sources);
  LibrarySet(const LibrarySet&) = delete;
  LibrarySet& operator=(const LibrarySet&) = delete;

  // What the symbols blocks of a module in `directory` lead to. Has an entry for every
  // block, without a library for those that could not be loaded, which is reported.
  LibraryImports load(const Named<SymbolsImport>& blocks, const std::string& directory,
                      diag::Diagnostics& diags);

  // One library by itself, as if a block had asked for it. Null if it could not be
  // loaded; look at `diags` for mistakes inside it.
  const Library* load(const LibraryRequest& request, diag::Diagnostics& diags);

  std::size_t size() const { return libraries_.size(); }
  bool contains(const std::string& path) const { return by_path_.contains(path); }
  void keep_literals_forever() const;
  // Where the libraries are, each directory as often as it has libraries.
  std::vector<std::string> directories() const;

 private:
  LibraryImports follow(const Named<SymbolsImport>& blocks, const std::string& directory,
                        diag::Diagnostics& diags);
  // What a request leads to, declared at least. Null if an error was added.
  const Library* find(const LibraryRequest& request, diag::Diagnostics& diags);
  // Loads what the libraries from `first` on import, and compiles all of them.
  void finish_from(std::size_t first, diag::Diagnostics& diags);
  void compile_from(std::size_t first, diag::Diagnostics& diags);
  void report_cycle(std::size_t first, const std::vector<std::uint32_t>& cycle,
                    diag::Diagnostics& diags) const;

  LibraryFinder* finder_;
  const diag::SourceMap& sources_;
  functions::Table builtin_;
  LibraryCalls calls_;
  std::vector<std::unique_ptr<Library>> libraries_;          // in the order in which they were met
  std::unordered_map<std::string, const Library*> by_path_;  // all of them
};

}  // namespace tofu::config
