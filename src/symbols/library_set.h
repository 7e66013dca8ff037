// The symbol libraries of a configuration: each loaded once, however many modules
// and libraries import it.
//
// Libraries are identified by their place, as the finder returns it. Loading follows imports from
// library to library, reports import cycles, and compiles imported libraries first.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/named.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "functions/table.h"
#include "symbols/library.h"
#include "symbols/library_calls.h"
#include "symbols/library_finder.h"
#include "symbols/symbols_import.h"

namespace tofu::symbols {

class LibrarySet {
 public:
  // Without a finder every import is an error. `sources` outlives the set.
  LibrarySet(LibraryFinder* finder, const diag::SourceMap& sources);
  LibrarySet(const LibrarySet&) = delete;
  LibrarySet& operator=(const LibrarySet&) = delete;

  // The libraries of the symbols blocks of a module in `directory`. Has an entry for every block,
  // without a library for those that could not be loaded, which is reported.
  LibraryImports load(const base::Named<SymbolsImport>& blocks, const std::string& directory,
                      diag::Diagnostics& diags);

  // One library by itself, as if a block had imported it. Null if it could not be loaded; errors
  // inside it are in `diags`.
  const Library* load(const LibraryRequest& request, diag::Diagnostics& diags);

  // Checks the examples of the libraries that `wanted` accepts (all, if it is empty).
  void check_examples(const std::function<bool(const Library&)>& wanted,
                      diag::Diagnostics& diags) const;

  std::size_t size() const { return libraries_.size(); }
  bool contains(const std::string& path) const { return by_path_.contains(path); }
  void keep_literals_forever() const;
  // The directories of the libraries; a directory appears once per library.
  std::vector<std::string> directories() const;

 private:
  LibraryImports follow(const base::Named<SymbolsImport>& blocks, const std::string& directory,
                        diag::Diagnostics& diags);
  // The library of a request; its declarations are known. Null if an error was added.
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

}  // namespace tofu::symbols
