#include "base/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

extern char** environ;

namespace tofu::base {

namespace {

class OpenFiles {
 public:
  OpenFiles() = default;
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;
  ~OpenFiles() {
    for (const int file : files_) ::close(file);
  }
  void keep(int file) { files_.push_back(file); }

 private:
  std::vector<int> files_;
};

// A file in memory with `text` in it, which the child inherits; -1 with errno.
int memory_file(std::string_view text) {
  const int file = ::memfd_create("input", 0);
  if (file < 0) return -1;
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      ::close(file);
      return -1;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Error system_error(const char* doing, int code) {
  return {std::string(doing) + ": " + std::strerror(code)};
}

}  // namespace

Result<ProcessResult> run_process(std::vector<std::string> arguments,
                                  std::span<const std::string_view> inputs) {
  OpenFiles open;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const int file = memory_file(inputs[i]);
    if (file < 0) return system_error("making a file in memory failed", errno);
    open.keep(file);
    for (std::string& argument : arguments) {
      if (argument == "{" + std::to_string(i) + "}") argument = "/dev/fd/" + std::to_string(file);
    }
  }
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return system_error("making a pipe failed", errno);
  open.keep(pipe_ends[0]);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  if (failed != 0) return system_error("starting it failed", failed);

  auto output = read_descriptor(pipe_ends[0]);
  const int status = wait_for(child);
  if (!output) return output.error();
  return ProcessResult{status, std::move(*output)};
}

namespace {

// The environment of a guarded program: ours, less and more.
std::vector<std::string> environment_of(const GuardedProcess& process) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced =
        std::ranges::any_of(process.environment, [&](const auto& it) { return it.first == name; });
    if (replaced || std::ranges::find(process.without, name) != process.without.end()) continue;
    all.emplace_back(text);
  }
  for (const auto& [name, value] : process.environment) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Of the process and of all that it will start.
void limit_resource(pid_t child, __rlimit_resource resource, std::uint64_t most) {
  if (most == 0) return;
  const rlimit limit{most, most};
  ::prlimit(child, resource, &limit, nullptr);
}

// Starts it with both outputs into the given pipe ends; an errno, or 0. Standard
// input comes from `input` unless that is negative.
int start_guarded(const GuardedProcess& process, int input, int output, int errors, pid_t& child) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (input < 0) {
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  } else {
    ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  }
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  if (!process.directory.empty()) {
    ::posix_spawn_file_actions_addchdir_np(&actions, process.directory.c_str());
  }
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> arguments = process.arguments;
  std::vector<std::string> environment = environment_of(process);
  const int failed = ::posix_spawnp(&child, arguments[0].c_str(), &actions, &attributes,
                                    pointers_to(arguments).data(), pointers_to(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed == 0) {
    limit_resource(child, RLIMIT_FSIZE, process.file_limit);
    limit_resource(child, RLIMIT_DATA, process.memory_limit);
  }
  return failed;
}

// Collects what a running program prints, until both of its outputs are closed, it
// is gone, or a limit is reached.
class Collector {
 public:
  Collector(const GuardedProcess& process, pid_t child, int output, int errors)
      : process_(process),
        child_(child),
        pipes_{{{output, POLLIN, 0}, {errors, POLLIN, 0}}},
        end_(Clock::now() + process.deadline) {}

  Result<GuardedResult> run() {
    while (pipes_[0].fd >= 0 || pipes_[1].fd >= 0) {
      if (process_.cancelled != nullptr && *process_.cancelled) return killed("interrupted");
      if (Clock::now() > end_) return killed("it took too long");
      if (process_.may_go_on && Clock::now() > next_question_ && !ask()) {
        return killed("it did too much");
      }
      constexpr int kTick = 50;  // milliseconds
      const int ready = ::poll(pipes_.data(), pipes_.size(), kTick);
      if (ready < 0 && errno != EINTR) return killed(std::strerror(errno));
      // A program that it left running may hold the pipes open for ever.
      if (ready == 0 && has_ended()) break;
      if (ready <= 0) continue;
      if (const char* problem = read_ready()) return killed(problem);
    }
    if (!ended_) status_ = wait_for(child_);
    result_.exit_status = status_;
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool ask() {
    const Clock::time_point before = Clock::now();
    const bool answer = process_.may_go_on();
    const Clock::duration took = Clock::now() - before;
    next_question_ = Clock::now() + kBetweenQuestions + 10 * took;
    return answer;
  }

  bool has_ended() {
    if (ended_) return true;
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) != child_) return false;
    status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return ended_ = true;
  }

  Error killed(const char* why) {
    ::kill(-child_, SIGKILL);
    if (!ended_) wait_for(child_);
    return {why};
  }

  const char* read_ready() {
    std::array<char, 65536> buffer;
    for (std::size_t i = 0; i < pipes_.size(); ++i) {
      if (pipes_[i].fd < 0 || pipes_[i].revents == 0) continue;
      const ssize_t count = ::read(pipes_[i].fd, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        pipes_[i].fd = -1;
        continue;
      }
      const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
      if (i == 1) {
        keep_errors(text);
      } else if (process_.on_output) {
        if (!process_.on_output(text)) return "it printed too much";
      } else {
        result_.output += text;
        if (result_.output.size() > process_.output_limit) return "it printed too much";
      }
    }
    return nullptr;
  }

  void keep_errors(std::string_view text) {
    result_.errors += text;
    if (result_.errors.size() > 2 * process_.error_limit) {
      result_.errors.erase(0, result_.errors.size() - process_.error_limit);
    }
  }

  const GuardedProcess& process_;
  pid_t child_;
  std::array<pollfd, 2> pipes_;
  Clock::time_point end_;
  static constexpr std::chrono::seconds kBetweenQuestions{1};
  Clock::time_point next_question_ = Clock::now() + kBetweenQuestions;
  bool ended_ = false;
  int status_ = 0;
  GuardedResult result_;
};

}  // namespace

Result<GuardedResult> run_guarded(const GuardedProcess& process) {
  OpenFiles open;
  std::array<std::array<int, 2>, 2> pipes;
  for (auto& ends : pipes) {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("making a pipe failed", errno);
    open.keep(ends[0]);
  }
  int input = -1;
  if (!process.input.empty()) {
    input = memory_file(process.input);
    if (input < 0) return system_error("making a file in memory failed", errno);
    open.keep(input);
    ::lseek(input, 0, SEEK_SET);
    ::fcntl(input, F_SETFD, FD_CLOEXEC);
  }
  pid_t child = 0;
  const int failed = start_guarded(process, input, pipes[0][1], pipes[1][1], child);
  for (auto& ends : pipes) ::close(ends[1]);
  if (failed != 0) return system_error("starting it failed", failed);
  return Collector(process, child, pipes[0][0], pipes[1][0]).run();
}

}  // namespace tofu::base
