#include "addrs/source_text.h"

#include <algorithm>
#include <vector>

namespace tofu::addrs {

std::string clean_path(std::string_view path) {
  const bool rooted = path.starts_with('/');
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!rooted) {
      parts.push_back(part);
    }
  }
  std::string out = rooted ? "/" : "";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += '/';
    out += parts[i];
  }
  return out.empty() ? "." : out;
}

std::string join_paths(std::string_view first, std::string_view second) {
  if (first.empty()) return second.empty() ? "" : clean_path(second);
  return clean_path(std::string(first) + "/" + std::string(second));
}

SplitSource split_subdir(std::string_view source) {
  const std::size_t query = std::min(source.find('?'), source.size());
  const std::string_view before = source.substr(0, query);
  const std::size_t scheme = before.find("://");
  const std::size_t slashes = before.find("//", scheme == std::string_view::npos ? 0 : scheme + 3);
  if (slashes == std::string_view::npos) return {std::string(source), {}};
  SplitSource split;
  split.package = std::string(before.substr(0, slashes)) + std::string(source.substr(query));
  const std::string_view subdir = before.substr(slashes + 2);
  if (!subdir.empty()) split.subdir = clean_path(subdir);
  return split;
}

}  // namespace tofu::addrs
