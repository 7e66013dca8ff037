// A combination of installation methods.
//
// Versions are those of all methods that are responsible for a provider; a package is
// that of the first method that has it. Responsible is a method whose include patterns
// name the provider (or that has none) and whose exclude patterns do not.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "install/filesystem_mirror.h"
#include "install/install_method.h"

namespace tofu::install {

// "registry.example.com/*/*": a whole provider address in which the parts on the right
// may be "*".
class ProviderPattern {
 public:
  static base::Result<ProviderPattern> parse(std::string_view text);

  bool matches(const addrs::Provider& provider) const;
  // "*" where anything fits.
  const addrs::Provider& parts() const { return parts_; }

 private:
  addrs::Provider parts_;
};

class MethodList final : public InstallMethod {
 public:
  struct Entry {
    std::unique_ptr<InstallMethod> method;
    std::vector<ProviderPattern> include = {};
    std::vector<ProviderPattern> exclude = {};
  };

  void add(Entry entry) { entries_.push_back(std::move(entry)); }
  // Directories that are mirrors without being configured; `otherwise` is used only for providers
  // that none of the others has.
  void add_implied(std::vector<std::string> directories, std::unique_ptr<InstallMethod> otherwise);

  base::Result<OfferedVersions, MethodProblem> versions(const addrs::Provider& provider) override;
  base::Result<PackageOffer, MethodProblem> package(const addrs::Provider& provider,
                                                    const addrs::Version& version,
                                                    const Platform& platform) override;
  std::string for_display(const addrs::Provider& provider) const override;

 private:
  std::vector<InstallMethod*> responsible(const addrs::Provider& provider) const;

  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<FilesystemMirror>> implied_;
  std::unique_ptr<InstallMethod> otherwise_;
};

}  // namespace tofu::install
