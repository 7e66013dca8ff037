// What the program gets from its environment when it starts, read exactly once.
//
// Only main() reads environment variables, the working directory, the clock and
// the terminal. All other code gets them from here, as plain values that a test can set.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tofu::cli {

struct Environment {
  std::vector<std::string> arguments;  // without the program's name
  std::string program;                 // the path it was started as
  std::map<std::string, std::string, std::less<>> variables;
  std::string working_directory;  // absolute, before any -chdir
  bool stdin_is_terminal = false;
  bool stdout_is_terminal = false;
  int stdout_width = 78;
  int stderr_width = 78;
  std::string platform;  // linux_amd64
  // Seconds and nanoseconds since the epoch.
  std::function<std::pair<std::int64_t, std::int32_t>()> now;

  // The variable's value, or empty if it is not set.
  std::string_view variable(std::string_view name) const;
};

// Reads the environment of this process.
Environment read_environment(int argc, char** argv);

// The platform in the names of provider packages, for what `uname -m` prints.
std::string platform_of_machine(std::string_view machine);

}  // namespace tofu::cli
