// A directory for the files of one test.
//
// It is made below the system's temporary one, and removed with everything in it
// when the test ends.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace tofu::net {

class Scratch {
 public:
  Scratch() {
    std::string pattern = std::filesystem::temp_directory_path() / "install_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string at(std::string_view name) const { return path_ + "/" + std::string(name); }

  // The path of the new file.
  std::string write(std::string_view name, std::string_view content,
                    bool executable = false) const {
    const std::string file = at(name);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << content;
    if (executable) {
      std::filesystem::permissions(file, std::filesystem::perms::owner_exec,
                                   std::filesystem::perm_options::add);
    }
    return file;
  }
  std::string read(std::string_view name) const {
    std::ifstream file(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  bool exists(std::string_view name) const {
    return std::filesystem::exists(std::filesystem::symlink_status(at(name)));
  }

 private:
  std::string path_;
};

}  // namespace tofu::net
