#include "workdir/version_mode.h"

#include <fmt/format.h>

#include "base/check.h"
#include "cli/hcl1.h"
#include "cli/settings.h"
#include "cli/version_info.h"
#include "diag/source.h"

namespace tofu::workdir {

namespace {

std::optional<config::VersionCheck> read_mode(std::string_view word, std::string_view where,
                                              diag::Diagnostics& diags) {
  const auto mode = config::parse_version_check(word);
  if (!mode) {
    diags.error("Invalid version check mode")
        .detail(fmt::format("{} sets the mode {:?}. Valid modes: {}.", where, word,
                            config::version_check_words()));
  }
  return mode;
}

}  // namespace

diag::Checked<config::VersionCheck> version_check_mode(std::optional<config::VersionCheck> chosen,
                                                       const cli::Settings& settings,
                                                       const diag::SourceMap& sources,
                                                       diag::Diagnostics& diags) {
  if (chosen) return chosen;
  const std::string_view set = settings.environment.variable("TOFU_VERSION_CHECK");
  if (!set.empty()) return read_mode(set, "TOFU_VERSION_CHECK", diags);
  if (const auto& file = settings.cli_config.version_check) {
    return read_mode(file->text, cli::shown_place(file->range, sources), diags);
  }
  return config::VersionCheck::Equivalent;
}

config::OwnVersions own_versions() {
  auto tofu = addrs::Version::parse(cli::kTofuVersion);
  TOFU_CHECK(tofu.ok(), "the build's own version is one");
  return {std::move(*tofu), cli::kTerraformMajor, cli::kTerraformMinor};
}

}  // namespace tofu::workdir
