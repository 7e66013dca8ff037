// Paths of modules and packages, as text.
//
// They are relative to the working directory, with "/" between the parts and without
// a "/" at the end; "." is the working directory or the top of a package. Private to
// the files of ModuleInstaller.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tofu::install {

// "a/b" below "root"; both clean.
inline std::string joined(const std::string& root, const std::string& path) {
  if (path.empty() || path == ".") return root;
  return root == "." ? path : root + "/" + path;
}

inline std::string clean(const std::filesystem::path& path) {
  std::string text = path.lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text.empty() ? std::string(1, '.') : text;
}

// Of a clean path in a package.
inline bool leaves_package(std::string_view path) {
  return path == ".." || path.starts_with("../");
}

// Whether a clean path is the directory or below it.
inline bool is_at_or_below(std::string_view path, std::string_view directory) {
  return path == directory || directory == "." ||
         (path.starts_with(directory) && path[directory.size()] == '/');
}

inline bool is_directory(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_directory(path, failed);
}

// A directory itself, not a link to one.
bool is_real_directory(const std::string& path);

// The same place by a path without links. It stays as it was written otherwise: a
// relative path is absolute afterwards only if a link on its way is. Nothing if there
// is no such place.
std::optional<std::string> without_links(const std::string& path);

}  // namespace tofu::install
