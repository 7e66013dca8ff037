// The lock file, .terraform.lock.hcl: which versions of providers and packages were
// chosen.
//
// The file is under version control and read by people and other programs, so it
// is written in OpenTofu's form, sorted, and only if something changed. OpenTofu
// knows only the blocks of providers; it warns about those of modules and reads on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::install {

inline constexpr std::string_view kLockFile = ".terraform.lock.hcl";

struct ProviderLock {
  std::string version;
  std::string constraints = {};          // empty if there are none
  std::vector<std::string> hashes = {};  // "h1:…", "zh:…"; sorted
  diag::SourceRange range = {};
};

// One version of one package. A registry module may be locked in several versions,
// one for calls that allow only old ones and one for the others.
struct ModuleLock {
  std::string label;                          // the source without subdirectory and secrets
  std::string version = {};                   // of a registry; the commit of a repository
  std::string commit = {};                    // of a repository that is locked by a version
  std::vector<std::string> constraints = {};  // of all calls, each once, sorted
  std::vector<std::string> hashes = {};       // sorted
  diag::SourceRange range = {};

  bool has_hash(std::string_view hash) const;
};

class LockFile {
 public:
  // An absent file is an empty one. Nothing only if an error was added.
  static std::optional<LockFile> read(const std::string& path, diag::SourceMap& sources,
                                      diag::Diagnostics& diags);

  // The same from text that is not in a file; `name` is what people are shown.
  static std::optional<LockFile> parse(std::string name, std::string text, diag::SourceMap& sources,
                                       diag::Diagnostics& diags);

  // The whole file as it would be written.
  std::string text() const;
  // Writes the file if it does not say the same already: comments and layout that
  // people gave it stay until something changes. An empty one is not created.
  base::Result<void> write(const std::string& path) const;

  // Whether both say the same, wherever it is written.
  bool same_as(const LockFile& other) const;

  // By address, such as "registry.opentofu.org/hashicorp/null".
  std::map<std::string, ProviderLock, std::less<>> providers;
  // Sorted by label, then version, as written.
  const std::vector<ModuleLock>& modules() const { return modules_; }

  // All versions that are locked for a label.
  std::vector<const ModuleLock*> find_modules(std::string_view label) const;
  // Replaces the block of the same label and version, if there is one. Constraints
  // and hashes need not be sorted.
  void set_module(ModuleLock lock);
  // Forgets every block for which `keep` answers no.
  template <class Keep>
  void keep_modules(const Keep& keep) {
    std::erase_if(modules_, [&](const ModuleLock& lock) { return !keep(lock); });
  }

 private:
  std::vector<ModuleLock> modules_;
};

}  // namespace tofu::install
