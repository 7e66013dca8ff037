// A directory of its own for a test, which is the working directory.
//
// The environment is empty but for HOME, so that nothing of the machine is seen. The directory is
// removed at the end.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdlib.h>
#include <string>
#include <utility>

#include "cli/environment.h"

namespace tofu::cli {

class TestDirectory {
 public:
  // Makes a new directory and works in it until the end of the test.
  TestDirectory() : before_(std::filesystem::current_path()) {
    std::string name = (std::filesystem::temp_directory_path() / "tofu-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    std::filesystem::current_path(directory_);
    environment.working_directory = directory_;
    environment.platform = "linux_amd64";
    environment.now = [] { return std::pair<std::int64_t, std::int32_t>(1'700'000'000, 0); };
    environment.variables["HOME"] = directory_;
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;
  ~TestDirectory() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(directory_);
  }

  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Environment environment;

 private:
  std::filesystem::path before_;
  std::string directory_;
};

}  // namespace tofu::cli
