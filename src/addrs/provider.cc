#include "addrs/provider.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/idna.h"
#include "base/trim.h"

namespace tofu::addrs {

namespace {

// Where a source was written, and where to complain about it.
struct Report {
  std::string_view source;
  std::optional<diag::SourceRange> place;
  diag::Diagnostics* diags;

  std::nullopt_t operator()(std::string summary, std::string detail) const {
    diags->error(std::move(summary)).detail(std::move(detail)).at(place);
    return std::nullopt;
  }
};

constexpr std::string_view kShape =
    "A provider source has the form \"[HOST/][NAMESPACE/]TYPE\", such as \"hashicorp/aws\".";

// Repositories are called terraform-provider-aws, so people write that.
bool refuse_redundant_prefix(const Provider& provider, const Report& report) {
  for (const std::string_view prefix : {"terraform-", "opentofu-"}) {
    if (!provider.type.starts_with(prefix)) continue;
    std::string detail = fmt::format(
        "The type in the provider source \"{}\" begins with \"{}\", which the type of "
        "a provider never does.",
        provider.for_display(), prefix);
    const std::string repository = fmt::format("{}provider-", prefix);
    if (provider.type.starts_with(repository)) {
      Provider meant = provider;
      meant.type.erase(0, repository.size());
      if (parse_provider_part(meant.type)) {
        detail += fmt::format(
            " That prefix belongs to the name of the repository only.\n\nDid you mean \"{}\"?",
            meant.for_display());
      }
    }
    report("Invalid provider type", std::move(detail));
    return true;
  }
  return false;
}

}  // namespace

bool Provider::is_builtin() const {
  return (host.ascii == kBuiltinHost || host.ascii == "opentofu.org") && space == kBuiltinNamespace;
}

bool Provider::is_legacy() const {
  return host.ascii == kDefaultRegistryHost && space == kLegacyNamespace;
}

std::string Provider::to_string() const {
  std::string text = host.for_display();
  text.reserve(text.size() + space.size() + type.size() + 2);
  text.append("/").append(space).append("/").append(type);
  return text;
}

std::string Provider::for_display() const {
  return host.ascii == kDefaultRegistryHost ? fmt::format("{}/{}", space, type) : to_string();
}

base::Result<std::string> parse_provider_part(std::string_view text) {
  if (text.empty()) return base::Error{"it cannot be empty"};
  if (text.find('.') != std::string_view::npos) return base::Error{"dots are not allowed"};
  if (text.find("--") != std::string_view::npos) {
    return base::Error{"two dashes in a row are not allowed"};
  }
  return base::idna_label_to_unicode(text);
}

diag::Checked<Provider> parse_provider_source(std::string_view text,
                                              std::optional<diag::SourceRange> place,
                                              diag::Diagnostics& diags) {
  const Report report{text, place, &diags};
  const std::vector<std::string_view> parts = base::split(text, '/');
  if (parts.size() > 3 || std::ranges::find(parts, "") != parts.end()) {
    return report("Invalid provider source", std::string(kShape));
  }
  auto type = parse_provider_part(parts.back());
  if (!type) {
    return report("Invalid provider type", fmt::format("\"{}\" in the provider source \"{}\" is no "
                                                       "provider type: {}.",
                                                       parts.back(), text, type.error().what));
  }
  Provider provider = default_provider(std::move(*type));
  // OpenTofu looks no further at a lone type, so terraform-x is one.
  if (parts.size() == 1) return provider;
  const std::string_view given = parts[parts.size() - 2];
  auto space =
      given == kLegacyNamespace ? base::Result(std::string(given)) : parse_provider_part(given);
  if (!space) {
    return report("Invalid provider namespace",
                  fmt::format("\"{}\" in the provider source \"{}\" is no namespace: {}.", given,
                              text, space.error().what));
  }
  provider.space = std::move(*space);
  if (parts.size() == 3) {
    auto host = base::parse_hostname(parts[0]);
    if (!host) {
      return report("Invalid provider host",
                    fmt::format("\"{}\" in the provider source \"{}\" is no host name: {}.",
                                parts[0], text, host.error().what));
    }
    provider.host = std::move(*host);
  }
  if (provider.space == kLegacyNamespace && !provider.is_legacy()) {
    return report(
        "Invalid provider namespace",
        fmt::format("The namespace \"-\" exists only on the host {}.", kDefaultRegistryHost));
  }
  if (refuse_redundant_prefix(provider, report)) return std::nullopt;
  return provider;
}

Provider default_provider(std::string type) {
  return {{std::string(kDefaultRegistryHost)}, std::string(kDefaultNamespace), std::move(type)};
}

Provider builtin_provider(std::string type) {
  return {{std::string(kBuiltinHost)}, std::string(kBuiltinNamespace), std::move(type)};
}

Provider legacy_provider(std::string type) {
  return {{std::string(kDefaultRegistryHost)}, std::string(kLegacyNamespace), std::move(type)};
}

Provider implied_provider(std::string type) {
  return type == "terraform" ? builtin_provider(std::move(type))
                             : default_provider(std::move(type));
}

}  // namespace tofu::addrs
