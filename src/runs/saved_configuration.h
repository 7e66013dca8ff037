// A configuration as a plan file keeps it: every file that was read, where each module call
// and each import of a library led, and what functions found out about other files.
//
// Files of a package stand there once, however many calls see them. Linking what was
// saved asks nothing of the disk, so that a plan can be applied where its sources are
// not.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/tree.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "eval/deprecation.h"
#include "symbols/library_finder.h"
#include "workdir/configuration.h"
#include "workdir/load_context.h"

namespace tofu::runs {

struct SavedFile {
  std::string name;  // without its directory; of a library: as it was shown
  std::string text;
};

struct SavedCall {
  std::string directory;
  std::string version;
  std::string identity;  // of its files
};

struct SavedConfiguration {
  std::map<std::string, SavedCall, std::less<>> calls;                   // by module path
  std::map<std::string, std::vector<SavedFile>, std::less<>> modules;    // by identity
  std::map<std::string, symbols::LibraryPlace, std::less<>> imports;     // by import_key()
  std::map<std::string, std::vector<SavedFile>, std::less<>> libraries;  // by path
  std::map<std::string, std::vector<SavedFile>, std::less<>> metadata;   // by package
  functions::FoundFiles::Answers found;
  std::set<std::string, std::less<>> told;  // by reported_key(): deprecated variables, where used

  std::string encode() const;
  // Nothing if the bytes do not fit.
  static std::optional<SavedConfiguration> decode(std::string_view bytes);
};

// What `loaded` was made of. Its files are in `sources`. Of `warned` is kept what need not be
// told again.
SavedConfiguration save_configuration(const workdir::Configuration& loaded,
                                      const eval::Deprecations& warned,
                                      const diag::SourceMap& sources);

// The use of a deprecated variable, as long as the files are the same.
std::string reported_key(const config::Variable& variable, diag::SourceRange place,
                         const diag::SourceMap& sources);

// The libraries in it, for as long as it lives.
std::unique_ptr<symbols::LibraryFinder> saved_libraries(const SavedConfiguration& saved,
                                                        diag::SourceMap& sources);

// The configuration again, as it was in `workspace`. `variables` are those of the root module.
diag::Checked<std::shared_ptr<workdir::Configuration>> load_saved(
    const SavedConfiguration& saved, const std::string& workspace,
    std::map<std::string, value::Value> variables, const workdir::LoadContext& context,
    diag::Diagnostics& diags);

}  // namespace tofu::runs
