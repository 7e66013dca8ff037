#include "commands/version_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <string_view>

#include "base/file.h"
#include "lint/version_needs.h"
#include "workdir/version_mode.h"

namespace tofu::commands {

namespace {

// A file x.tofu replaces x.tf, so the name must be free in both.
constexpr std::array<std::string_view, 3> kNames = {"opentofu", "opentofu_version",
                                                    "required_opentofu"};

bool exists(const std::filesystem::path& path) {
  const auto kind = base::file_kind(path.string());
  return !kind || *kind != base::FileKind::Missing;
}

std::string free_path(const std::string& directory) {
  for (const std::string_view name : kNames) {
    const auto base = std::filesystem::path(directory) / name;
    const bool is_taken =
        std::ranges::any_of(std::array{".tf", ".tofu", ".tf.json", ".tofu.json"},
                            [&](const char* end) { return exists(base.string() + end); });
    if (!is_taken) return (base.string() + ".tofu");
  }
  return {};
}

bool is_for_tofu(const config::VersionRequirement& each) {
  return each.kind == config::VersionKind::Tofu;
}

}  // namespace

std::vector<VersionFile> missing_version_files(const config::Tree& tree,
                                               const diag::SourceMap& sources) {
  std::vector<VersionFile> files;
  std::set<std::string> seen;
  for (const config::TreeNode& node : tree.nodes) {
    if (!node.is_local || !seen.insert(node.directory).second) continue;
    if (std::ranges::any_of(node.module->version_requirements, is_for_tofu)) continue;
    std::string path = free_path(node.directory);
    if (path.empty()) continue;
    const std::string needed = lint::version_needs(*node.module, sources).tofu;
    const std::string version =
        needed.empty() ? workdir::own_versions().tofu.to_string() : needed + ".0";
    // OpenTofu reads a terraform block of such a file, and Terraform does not read the file.
    files.push_back({std::filesystem::path(path).lexically_normal().string(),
                     fmt::format("terraform {{\n  required_version = \">= {}\"\n}}\n", version)});
  }
  return files;
}

}  // namespace tofu::commands
