#include "cli/environment.h"

#include <climits>
#include <ctime>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/terminal.h"

extern char** environ;

namespace tofu::cli {

namespace {

// Where diagnostics wrap without a terminal.
constexpr int kDefaultWidth = 78;

std::map<std::string, std::string, std::less<>> read_variables() {
  std::map<std::string, std::string, std::less<>> variables;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return variables;
}

std::string read_working_directory() {
  char buffer[PATH_MAX];
  return ::getcwd(buffer, sizeof buffer) != nullptr ? buffer : "";
}

std::string read_platform() {
  utsname names{};
  ::uname(&names);
  return platform_of_machine(names.machine);
}

}  // namespace

std::string platform_of_machine(std::string_view machine) {
  if (machine == "x86_64") machine = "amd64";
  if (machine == "aarch64") machine = "arm64";
  if (machine.starts_with("armv")) machine = "arm";  // armv6l, armv7l and armv8l, which has 32 bits
  if (machine.size() == 4 && machine.starts_with('i') && machine.ends_with("86")) machine = "386";
  if (machine == "loongarch64") machine = "loong64";
  return "linux_" + std::string(machine);
}

std::string_view Environment::variable(std::string_view name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string_view() : found->second;
}

Environment read_environment(int argc, char** argv) {
  Environment environment;
  environment.program = argc > 0 ? argv[0] : "tofu";
  environment.arguments.assign(argv + (argc > 0 ? 1 : 0), argv + argc);
  environment.variables = read_variables();
  environment.working_directory = read_working_directory();
  environment.stdin_is_terminal = base::is_terminal(STDIN_FILENO);
  environment.stdout_is_terminal = base::is_terminal(STDOUT_FILENO);
  environment.stdout_width = base::terminal_width(STDOUT_FILENO).value_or(kDefaultWidth);
  environment.stderr_width = base::terminal_width(STDERR_FILENO).value_or(kDefaultWidth);
  environment.platform = read_platform();
  environment.now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_REALTIME, &time);
    return std::pair<std::int64_t, std::int32_t>(time.tv_sec,
                                                 static_cast<std::int32_t>(time.tv_nsec));
  };
  return environment;
}

}  // namespace tofu::cli
