#include "install/method_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/trim.h"

namespace tofu::install {

namespace {

using Kind = MethodProblem::Kind;

constexpr std::string_view kAny = "*";

base::Result<std::string> part_or_any(std::string_view text) {
  if (text == kAny) return std::string(text);
  return addrs::parse_provider_part(text);
}

bool any_matches(const std::vector<ProviderPattern>& patterns, const addrs::Provider& provider) {
  return std::ranges::any_of(
      patterns, [&](const ProviderPattern& pattern) { return pattern.matches(provider); });
}

}  // namespace

base::Result<ProviderPattern> ProviderPattern::parse(std::string_view text) {
  const auto refused = [&](std::string_view why) {
    return base::Error{fmt::format("{:?} is not a pattern of provider addresses: {}", text, why)};
  };
  auto parts = base::split(text, '/');
  if (parts.size() < 2 || parts.size() > 3) return refused("it has two or three parts");
  ProviderPattern pattern;
  pattern.parts_.host.ascii = std::string(addrs::kDefaultRegistryHost);
  if (parts.size() == 3) {
    pattern.parts_.host.ascii = std::string(kAny);
    if (parts.front() != kAny) {
      auto host = base::parse_hostname(parts.front());
      if (!host) return refused(host.error().what);
      pattern.parts_.host = std::move(*host);
    }
    parts.erase(parts.begin());
  }
  auto space = part_or_any(parts[0]);
  auto type = part_or_any(parts[1]);
  if (!space) return refused(space.error().what);
  if (!type) return refused(type.error().what);
  const bool any_host = pattern.parts_.host.ascii == kAny;
  if ((any_host && *space != kAny) || (*space == kAny && *type != kAny)) {
    return refused("after a \"*\" only \"*\" can follow");
  }
  pattern.parts_.space = std::move(*space);
  pattern.parts_.type = std::move(*type);
  return pattern;
}

bool ProviderPattern::matches(const addrs::Provider& provider) const {
  return (parts_.host.ascii == kAny || parts_.host == provider.host) &&
         (parts_.space == kAny || parts_.space == provider.space) &&
         (parts_.type == kAny || parts_.type == provider.type);
}

void MethodList::add_implied(std::vector<std::string> directories,
                             std::unique_ptr<InstallMethod> otherwise) {
  for (std::string& directory : directories) {
    implied_.push_back(std::make_unique<FilesystemMirror>(std::move(directory)));
  }
  otherwise_ = std::move(otherwise);
}

std::vector<InstallMethod*> MethodList::responsible(const addrs::Provider& provider) const {
  std::vector<InstallMethod*> methods;
  for (const Entry& entry : entries_) {
    const bool included = entry.include.empty() || any_matches(entry.include, provider);
    if (included && !any_matches(entry.exclude, provider)) methods.push_back(entry.method.get());
  }
  bool is_local = false;
  for (const auto& mirror : implied_) {
    methods.push_back(mirror.get());
    is_local = is_local || mirror->has(provider);
  }
  if (otherwise_ != nullptr && !is_local) methods.push_back(otherwise_.get());
  return methods;
}

base::Result<OfferedVersions, MethodProblem> MethodList::versions(const addrs::Provider& provider) {
  OfferedVersions all;
  Kind missing = Kind::NotFound;
  for (InstallMethod* method : responsible(provider)) {
    auto offered = method->versions(provider);
    if (!offered) {
      const MethodProblem& problem = offered.error();
      if (problem.kind == Kind::NotKnown) missing = Kind::NotKnown;
      if (problem.kind == Kind::Failed || problem.kind == Kind::NoPackage) return problem;
      continue;
    }
    std::ranges::move(offered->versions, std::back_inserter(all.versions));
    std::ranges::move(offered->warnings, std::back_inserter(all.warnings));
  }
  if (all.versions.empty()) {
    const std::string places = for_display(provider);
    return MethodProblem{missing, places.empty()
                                      ? "no installation method of the CLI configuration is "
                                        "responsible for it"
                                      : fmt::format("it is not in {}", places)};
  }
  return all;
}

base::Result<PackageOffer, MethodProblem> MethodList::package(const addrs::Provider& provider,
                                                              const addrs::Version& version,
                                                              const Platform& platform) {
  std::string why;
  for (InstallMethod* method : responsible(provider)) {
    auto offer = method->package(provider, version, platform);
    if (offer || offer.error().kind == Kind::Failed) return offer;
    if (why.empty()) why = offer.error().what;
  }
  return MethodProblem{Kind::NoPackage, std::move(why)};
}

std::string MethodList::for_display(const addrs::Provider& provider) const {
  std::vector<std::string> places;
  for (const InstallMethod* method : responsible(provider)) {
    places.push_back(method->for_display(provider));
  }
  return fmt::format("{}", fmt::join(places, ", "));
}

}  // namespace tofu::install
