#include "install/package_layers.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tofu::install {

namespace {

// In time of the product of the two lengths at most: the last * alone is tried again.
bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  std::size_t in_text = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (in_text < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      retry = in_text;
    } else if (at < pattern.size() && pattern[at] == text[in_text]) {
      ++at;
      ++in_text;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_text = ++retry;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace

bool PackageRule::matches(std::string_view label) const {
  const auto named = [&](const std::string& pattern) { return matches_pattern(pattern, label); };
  return (include.empty() || std::ranges::any_of(include, named)) &&
         std::ranges::none_of(exclude, named);
}

PackageLayers::PackageLayers(const PackageLayerSettings& settings, const std::stop_token& stop)
    : direct_(settings.direct), offline_(settings.offline) {
  if (!settings.cache_directory.empty()) cache_.emplace(settings.cache_directory, stop);
  for (const std::string& each : settings.read_only_caches) read_only_.emplace_back(each, stop);
  for (const PackageMirror& each : settings.mirrors) mirrors_.emplace_back(each, stop);
  if (!settings.vendor_directory.empty()) vendored_.emplace(settings.vendor_directory, stop);
}

std::optional<LayeredPackage> PackageLayers::find(std::string_view label,
                                                  const PackageKey& key) const {
  if (vendored_) {
    if (auto found = vendored_->find(key)) return LayeredPackage{std::move(*found)};
  }
  if (cache_) {
    if (auto found = cache_->find(key)) return LayeredPackage{std::move(*found), true};
  }
  for (const PackageCache& each : read_only_) {
    if (auto found = each.find(key)) return LayeredPackage{std::move(*found), true};
  }
  for (const Mirror& each : mirrors_) {
    if (!each.rule.matches(label)) continue;
    if (auto found = each.packages.find(key)) return LayeredPackage{std::move(*found)};
  }
  return std::nullopt;
}

std::optional<LayeredPackage> PackageLayers::latest(std::string_view label) const {
  if (vendored_) {
    if (auto found = vendored_->latest(label)) return LayeredPackage{std::move(*found)};
  }
  for (const Mirror& each : mirrors_) {
    if (!each.rule.matches(label)) continue;
    if (auto found = each.packages.latest(label)) return LayeredPackage{std::move(*found)};
  }
  return std::nullopt;
}

std::vector<std::string> PackageLayers::versions(std::string_view label) const {
  std::vector<std::string> versions;
  if (vendored_) versions = vendored_->versions(label);
  for (const Mirror& each : mirrors_) {
    if (each.rule.matches(label))
      std::ranges::move(each.packages.versions(label), std::back_inserter(versions));
  }
  return versions;
}

std::optional<std::string> PackageLayers::refuses_to_fetch(std::string_view label) const {
  if (offline_) return "it is not on this machine, and -offline forbids fetching it";
  if (direct_ && direct_->matches(label)) return std::nullopt;
  return "no mirror has it, and the module_installation block of the CLI configuration does not "
         "allow fetching it from its source";
}

}  // namespace tofu::install
