#include "functions/file_path.h"

#include <vector>

namespace tofu::functions {

namespace {

std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    if (!segment.empty() && segment != ".") out.push_back(segment);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return out;
}

}  // namespace

std::string clean_path(std::string_view path) {
  const bool rooted = is_absolute(path);
  std::vector<std::string_view> kept;
  for (const std::string_view segment : segments(path)) {
    if (segment != "..") {
      kept.push_back(segment);
    } else if (!kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (!rooted) {
      kept.push_back(segment);
    }
  }
  std::string out = rooted ? "/" : "";
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i > 0) out += '/';
    out += kept[i];
  }
  return out.empty() ? "." : out;
}

std::string join_paths(std::string_view first, std::string_view second) {
  if (first.empty() && second.empty()) return "";
  if (first.empty()) return clean_path(second);
  std::string joined(first);
  if (!second.empty()) {
    joined += '/';
    joined += second;
  }
  return clean_path(joined);
}

std::string base_name(std::string_view path) {
  if (path.empty()) return ".";
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty()) return "/";
  return std::string(path.substr(path.rfind('/') + 1));  // npos + 1 is 0
}

std::string directory_name(std::string_view path) {
  return clean_path(path.substr(0, path.rfind('/') + 1));
}

std::optional<std::string> relative_path(std::string_view base, std::string_view target) {
  if (is_absolute(base) != is_absolute(target)) return std::nullopt;
  const auto from = segments(base);
  const auto to = segments(target);
  std::size_t common = 0;
  while (common < from.size() && common < to.size() && from[common] == to[common]) ++common;
  std::string out;
  const auto append = [&out](std::string_view segment) {
    if (!out.empty()) out += '/';
    out += segment;
  };
  for (std::size_t i = common; i < from.size(); ++i) {
    if (from[i] == "..") return std::nullopt;
    append("..");
  }
  for (std::size_t i = common; i < to.size(); ++i) append(to[i]);
  return out.empty() ? "." : out;
}

base::Result<std::string> expand_home(std::string_view path, std::string_view home) {
  if (!path.starts_with('~')) return std::string(path);
  if (path.size() > 1 && path[1] != '/' && path[1] != '\\') {
    return base::Error{
        "another user's home directory cannot be expanded; \"~\" must be the whole path or be "
        "followed by a slash"};
  }
  if (home.empty()) return base::Error{"the home directory is not known"};
  return join_paths(home, path.substr(1));
}

}  // namespace tofu::functions
