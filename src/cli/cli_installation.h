// How providers and modules are installed, as the CLI configuration says: provider_installation,
// module_installation, the
// plugin cache, and the variables of the environment that go with them.
//
// What was read is kept as it was meant; nothing is opened or asked. Errors are
// reported, and the valid settings stay.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/environment.h"
#include "cli/hcl1.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "install/method_list.h"
#include "install/package_layers.h"
#include "install/selected_providers.h"

namespace tofu::cli {

struct InstallationMethod {
  enum class Kind : std::uint8_t { Direct, FilesystemMirror, NetworkMirror, OciMirror };
  Kind kind = Kind::Direct;
  std::string place = {};  // a path, an https address, or a template of OCI repositories
  std::vector<install::ProviderPattern> include = {};
  std::vector<install::ProviderPattern> exclude = {};
  std::optional<unsigned> download_retries = {};
  bool trusts_all_hashes = false;
};

// The module_installation block: where module packages come from.
struct ModuleInstallation {
  std::vector<install::PackageMirror> mirrors = {};
  // Which packages may be fetched from their own source; absent: none.
  std::optional<install::PackageRule> direct = {};
};

struct ProviderInstallation {
  std::vector<InstallationMethod> methods = {};
  install::ProviderOverrides overrides = {};
};

class InstallationReader {
 public:
  InstallationReader(const diag::SourceMap& sources, diag::Diagnostics& diags)
      : sources_(sources), diags_(diags) {}

  // One provider_installation block.
  ProviderInstallation read(const Hcl1Item& item);
  // One module_installation block.
  ModuleInstallation read_modules(const Hcl1Item& item);

 private:
  void read_method(const Hcl1Item& method, ProviderInstallation& out);
  // False after an error.
  bool read_argument(const Hcl1Item& argument, std::string_view place, InstallationMethod& out);
  bool read_patterns(const Hcl1Item& argument, std::vector<install::ProviderPattern>& out);
  void read_module_method(const Hcl1Item& method, ModuleInstallation& out);
  void read_overrides(const Hcl1Item& method, ProviderInstallation& out);
  // Whether the template of an OCI mirror gives each provider an address of its own.
  bool check_template(const InstallationMethod& method, diag::SourceRange place);
  void refuse(std::string_view detail, diag::SourceRange place);

  const diag::SourceMap& sources_;
  diag::Diagnostics& diags_;
};

}  // namespace tofu::cli
