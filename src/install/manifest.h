// The record of installed modules: .terraform/modules/modules.json.
//
// Which directory each module call leads to, by the dotted path of the call. The
// form is OpenTofu's, because editors and linters read it too.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "addrs/module.h"
#include "base/result.h"

namespace tofu::install {

struct ManifestEntry {
  std::string source;     // in normal form; empty for the root
  std::string version;    // empty if the source has none
  std::string directory;  // relative to the working directory
  auto operator<=>(const ManifestEntry&) const = default;
};

// Why there is no manifest.
struct ManifestError {
  std::string what;
  // The file is incomplete or lacks required fields. Installing everything makes it anew.
  bool is_damaged = false;
};

class Manifest {
 public:
  // An absent file is an empty manifest, and so is an empty one.
  static base::Result<Manifest, ManifestError> read(const std::string& path);
  std::string text() const;
  // Whether a source has a password or a key in it, so that the file is its owner's alone.
  bool has_secrets() const;

  const ManifestEntry* find(const addrs::ModulePath& module) const;
  void set(const addrs::ModulePath& module, ManifestEntry entry);
  void erase(const std::string& key) { entries_.erase(key); }
  // Forgets the module and all that are called by it.
  void remove(const addrs::ModulePath& module);

  // By key: "" for the root, "a.b" for module.a.module.b. Sorted, as written.
  const std::map<std::string, ManifestEntry, std::less<>>& entries() const { return entries_; }

 private:
  std::map<std::string, ManifestEntry, std::less<>> entries_;
};

// "a.b" for module.a.module.b.
std::string manifest_key(const addrs::ModulePath& module);

}  // namespace tofu::install
