// A directory of files for one test, and an environment of functions that
// starts there.
//
// The directory is made below the system's temporary one and removed with
// everything in it when the test ends.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "functions/table.h"
#include "syntax/function.h"
#include "value/value.h"

namespace tofu::functions {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "functions_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }

  void write(std::string_view name, std::string_view content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
  }

  Environment environment() const {
    Environment environment;
    environment.base_directory = path_;
    environment.home_directory = path_ / "home";
    environment.working_directory = path_;
    return environment;
  }

 private:
  std::filesystem::path path_;
};

// Calls a function outside of any expression.
inline syntax::CallResult<value::Value> call_by_name(const Table& table, std::string_view name,
                                                     std::vector<value::Value> arguments) {
  return call(*table.find(name), arguments);
}

}  // namespace tofu::functions
