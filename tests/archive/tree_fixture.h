// A directory of its own for each test, with files and links written in a line.
//
// Everything is removed at the end, read-only files and all, whatever the test did
// with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace tofu::archive {

class TreeFixture : public ::testing::Test {
 protected:
  TreeFixture() {
    char pattern[] = "/tmp/tree-XXXXXX";
    top_ = ::mkdtemp(pattern);
  }
  ~TreeFixture() override {
    std::error_code ignored;
    std::filesystem::remove_all(top_, ignored);
  }

  std::string at(std::string_view path) const { return top_ + "/" + std::string(path); }
  void write(std::string_view path, std::string_view text, unsigned mode = 0644) const {
    std::filesystem::create_directories(std::filesystem::path(at(path)).parent_path());
    std::ofstream(at(path), std::ios::binary) << text;
    ::chmod(at(path).c_str(), mode);
  }
  void link(std::string_view path, const std::string& target) const {
    std::filesystem::create_directories(std::filesystem::path(at(path)).parent_path());
    std::filesystem::create_symlink(target, at(path));
  }
  std::string read(std::string_view path) const {
    std::ifstream file(at(path), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  bool exists(std::string_view path) const {
    return std::filesystem::exists(std::filesystem::symlink_status(at(path)));
  }
  unsigned mode(std::string_view path) const {
    struct stat info {};
    return ::lstat(at(path).c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
  }

  std::string top_;
};

}  // namespace tofu::archive
