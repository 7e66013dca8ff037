#include "base/process.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
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

}  // namespace tofu::base
