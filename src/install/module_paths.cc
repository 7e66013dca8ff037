#include "install/module_paths.h"

#include <sys/stat.h>
#include <vector>

namespace tofu::install {

namespace {

// As many as other programs follow before they call it a circle.
constexpr unsigned kMaxLinks = 255;

// The parts of a path, the first one last.
void push_parts(std::vector<std::string>& pending, const std::filesystem::path& path) {
  const std::vector<std::filesystem::path> parts(path.begin(), path.end());
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!part->empty() && *part != "." && *part != "/") pending.push_back(part->string());
  }
}

}  // namespace

bool is_real_directory(const std::string& path) {
  struct stat found = {};
  return lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

std::optional<std::string> without_links(const std::string& path) {
  std::vector<std::string> pending;
  push_parts(pending, path);
  std::filesystem::path at = path.starts_with('/') ? "/" : "";
  unsigned links = 0;
  while (!pending.empty()) {
    const std::string part = std::move(pending.back());
    pending.pop_back();
    if (part == "..") {
      const bool goes_up = at.empty() || at.filename() == "..";
      at = goes_up ? at / ".." : at.parent_path();
      continue;
    }
    std::error_code failed;
    const auto kind = std::filesystem::symlink_status(at / part, failed).type();
    if (failed || kind == std::filesystem::file_type::not_found) return std::nullopt;
    if (kind != std::filesystem::file_type::symlink) {
      at /= part;
      continue;
    }
    const auto target = std::filesystem::read_symlink(at / part, failed);
    if (failed || ++links > kMaxLinks) return std::nullopt;
    if (target.is_absolute()) at = "/";
    push_parts(pending, target);
  }
  return clean(at);
}

}  // namespace tofu::install
