#include "commands/version_mode.h"

#include <fmt/format.h>

#include "base/check.h"
#include "commands/hcl1.h"
#include "commands/version_info.h"

namespace tofu::commands {

namespace {

std::optional<config::VersionCheck> read_mode(std::string_view word, std::string_view where,
                                              diag::Diagnostics& diags) {
  const auto mode = config::parse_version_check(word);
  if (!mode) {
    diags.error("Invalid version check mode")
        .detail(fmt::format("{} says {:?}, but the modes are: {}.", where, word,
                            config::version_check_words()));
  }
  return mode;
}

}  // namespace

std::optional<config::VersionCheck> version_check_mode(std::optional<config::VersionCheck> chosen,
                                                       const World& world,
                                                       diag::Diagnostics& diags) {
  if (chosen) return chosen;
  const std::string_view set = world.environment.variable("TOFU_VERSION_CHECK");
  if (!set.empty()) return read_mode(set, "TOFU_VERSION_CHECK", diags);
  if (const auto& file = world.cli_config.version_check) {
    return read_mode(file->text, shown_place(file->range, world.sources), diags);
  }
  return config::VersionCheck::Equivalent;
}

config::OwnVersions own_versions() {
  auto tofu = config::Version::parse(kTofuVersion);
  TOFU_CHECK(tofu.ok(), "the build's own version is one");
  return {std::move(*tofu), kTerraformMajor, kTerraformMinor};
}

}  // namespace tofu::commands
