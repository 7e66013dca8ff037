// Paths of modules and packages, as text.
//
// They are relative to the working directory, with "/" between the parts and without
// a "/" at the end; "." is the working directory or the top of a package. Private to
// the files of ModuleInstaller.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <sys/stat.h>

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

// A directory itself, not a link to one.
inline bool is_real_directory(const std::string& path) {
  struct stat found = {};
  return lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

}  // namespace tofu::install
