// A World in memory, so that tests run whole commands.
//
// What they print and what is typed are strings, and nothing of the machine's
// environment is seen. Each has a directory of its own, which is the working directory.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdlib.h>
#include <string>
#include <utility>
#include <vector>

#include "commands/cli.h"

namespace tofu::commands {

class TestWorld {
 public:
  // Makes a new directory and works in it until the end of the test.
  explicit TestWorld(std::string typed = {})
      : before_(std::filesystem::current_path()), in_(std::move(typed)) {
    std::string name = (std::filesystem::temp_directory_path() / "tofu-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    std::filesystem::current_path(directory_);
    environment.working_directory = directory_;
    environment.platform = "linux_amd64";
    environment.now = [] { return std::pair<std::int64_t, std::int32_t>(1'700'000'000, 0); };
    environment.variables["HOME"] = directory_;
  }
  TestWorld(const TestWorld&) = delete;
  TestWorld& operator=(const TestWorld&) = delete;
  ~TestWorld() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(directory_);
  }

  // The exit status of the command line.
  int run(std::vector<std::string> arguments) {
    arguments.emplace_back("-no-color");
    environment.arguments = std::move(arguments);
    out.clear();
    err.clear();
    Output out_sink(out);
    Output err_sink(err);
    World world{environment, in_, out_sink, err_sink, interrupts, log};
    return run_cli(world);
  }

  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Environment environment;
  Interrupts interrupts;
  base::Log log;
  std::string out;
  std::string err;

 private:
  std::filesystem::path before_;
  std::string directory_;
  Input in_;
};

}  // namespace tofu::commands
