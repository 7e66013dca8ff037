// Where packages are found before they are fetched: vendored packages, caches in layers, mirrors.
//
// The rules of the CLI configuration (module_installation) say which packages a mirror offers and
// which may be fetched from their own source. Finding takes no lock. Safe to use from several
// threads.
#pragma once

#include <deque>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "install/package_cache.h"

namespace tofu::install {

// Which packages a rule is about: patterns over whole source addresses, in which * stands for any
// text. No pattern in `include` is any package.
struct PackageRule {
  std::vector<std::string> include = {};
  std::vector<std::string> exclude = {};

  bool matches(std::string_view label) const;
};

struct PackageMirror {
  std::string directory;
  PackageRule rule = {};
};

// The sources of packages on this machine, and whether others may be used.
struct PackageLayerSettings {
  std::string cache_directory = {};                   // empty: there is none
  std::vector<std::string> read_only_caches = {};     // looked at after it, in order
  std::string vendor_directory = {};                  // empty: there is none
  std::vector<PackageMirror> mirrors = {};            // in order
  std::optional<PackageRule> direct = PackageRule();  // absent: nothing is fetched
  bool offline = false;                               // nothing is fetched over a network
};

struct LayeredPackage {
  CachedPackage package;
  bool is_linkable = false;  // in a cache, where working directories may link to it
};

class PackageLayers {
 public:
  PackageLayers(const PackageLayerSettings& settings, const std::stop_token& stop);

  // The cache to which fetched packages are added; null if there is none.
  PackageCache* cache() { return cache_ ? &*cache_ : nullptr; }
  bool empty() const { return !cache_ && read_only_.empty() && mirrors_.empty() && !vendored_; }
  bool has_caches() const { return cache_ || !read_only_.empty(); }

  // The package of `label` in this state.
  std::optional<LayeredPackage> find(std::string_view label, const PackageKey& key) const;
  // The same where the state is unknown: what a mirror says that the source is.
  std::optional<LayeredPackage> latest(std::string_view label) const;
  // The versions that mirrors offer.
  std::vector<std::string> versions(std::string_view label) const;

  // Why the package cannot come from its own source; nothing if it may.
  std::optional<std::string> refuses_to_fetch(std::string_view label) const;

 private:
  struct Mirror {
    Mirror(const PackageMirror& mirror, const std::stop_token& stop)
        : packages(mirror.directory, stop), rule(mirror.rule) {}
    PackageCache packages;
    PackageRule rule;
  };

  std::optional<PackageCache> cache_;
  std::deque<PackageCache> read_only_;
  std::deque<Mirror> mirrors_;
  std::optional<PackageCache> vendored_;
  std::optional<PackageRule> direct_;
  bool offline_;
};

}  // namespace tofu::install
