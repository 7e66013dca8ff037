#include "process/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "process/launch.h"
#include "process/memory_file.h"

namespace tofu::process {

namespace {

// Closes what it was given to keep.
class OpenFiles {
 public:
  OpenFiles() = default;
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;
  ~OpenFiles() {
    for (const int file : files_) ::close(file);
  }
  void keep(int file) { files_.push_back(file); }
  void close(int file) {
    std::erase(files_, file);
    ::close(file);
  }

 private:
  std::vector<int> files_;
};

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_status_of(status);
}

base::Error failure(const char* doing, int code) {
  return {std::string(doing) + ": " + std::strerror(code)};
}

}  // namespace

base::Result<ProcessResult> run_process(std::vector<std::string> arguments,
                                        std::span<const std::string_view> inputs) {
  OpenFiles open;
  std::vector<MemoryFile> files;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto file = MemoryFile::make(inputs[i]);
    if (!file) return file.error();
    for (std::string& argument : arguments) {
      if (argument == "{" + std::to_string(i) + "}") argument = file->path();
    }
    files.push_back(std::move(*file));
  }
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return failure("making a pipe failed", errno);
  for (const int end : pipe_ends) open.keep(end);
  Launch what{.arguments = std::move(arguments)};
  what.environment = environment_with({}, {});
  what.output = pipe_ends[1];
  pid_t child = 0;
  const int failed = launch(what, child);
  if (failed != 0) return failure("starting it failed", failed);
  open.close(pipe_ends[1]);

  auto output = base::read_descriptor(pipe_ends[0]);
  const int status = wait_for(child);
  if (!output) return output.error();
  return ProcessResult{status, std::move(*output)};
}

namespace {

// Collects what a running program prints, until both of its outputs are closed, it
// is gone, or a limit is reached.
class Collector {
 public:
  // `input` is a socket, or negative.
  Collector(const GuardedProcess& process, pid_t child, int output, int errors, int input)
      : process_(process),
        child_(child),
        pipes_{{{output, POLLIN, 0}, {errors, POLLIN, 0}, {-1, POLLOUT, 0}}},
        input_(input),
        begin_(Clock::now()) {}

  base::Result<GuardedResult> run() {
    while (pipes_[0].fd >= 0 || pipes_[1].fd >= 0) {
      if (process_.stop.stop_requested() && !has_grace()) return killed("interrupted");
      if (is_late()) return killed("it took too long");
      if (process_.may_go_on && Clock::now() > next_question_ && !ask()) {
        return killed("it did too much");
      }
      if (input_ >= 0) feed();
      constexpr int kTick = 50;  // milliseconds
      const int ready = ::poll(pipes_.data(), pipes_.size(), ended_ ? 0 : kTick);
      if (ready < 0 && errno != EINTR) return killed(std::strerror(errno));
      if (ready == 0) {
        // A program that it left running may hold the pipes open for ever. Output between the last
        // read and its end is available now, and is read first.
        if (ended_) break;
        if (process_.on_quiet) process_.on_quiet();
        if (!process_.waits_for_all || interrupted_) note_end();
      }
      if (ready <= 0) continue;
      if (const char* problem = read_ready()) return killed(problem);
    }
    if (!ended_) status_ = wait_for(child_);
    if (interrupted_) ::kill(-child_, SIGKILL);  // what it left running
    result_.exit_status = status_;
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool is_late() const {
    return process_.deadline.count() != 0 && Clock::now() - begin_ > process_.deadline;
  }

  // Whether a program that was asked to stop may take more time for it.
  bool has_grace() {
    if (process_.grace.count() == 0) return false;
    if (!interrupted_) {
      interrupted_ = Clock::now();
      ::kill(-child_, SIGINT);
    }
    return Clock::now() - *interrupted_ < process_.grace;
  }

  bool ask() {
    const Clock::time_point before = Clock::now();
    const bool answer = process_.may_go_on();
    const Clock::duration took = Clock::now() - before;
    next_question_ = Clock::now() + kBetweenQuestions + 10 * took;
    return answer;
  }

  void note_end() {
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) != child_) return;
    status_ = exit_status_of(status);
    ended_ = true;
  }

  base::Error killed(const char* why) {
    ::kill(-child_, SIGKILL);
    if (!ended_) wait_for(child_);
    return {why};
  }

  // Sees to it that there is something to write, and that it is written when it can be.
  void feed() {
    if (pending_.empty() && !is_last_ && !awaits_output_) {
      GuardedProcess::Input more = process_.next_input();
      pending_ = std::move(more.text);
      is_last_ = more.is_last;
      awaits_output_ = pending_.empty();
    }
    if (pending_.empty() && is_last_) return end_input();
    pipes_[2].fd = pending_.empty() ? -1 : input_;
  }

  void end_input() {
    ::shutdown(input_, SHUT_WR);
    pipes_[2].fd = input_ = -1;
  }

  // A program that reads no more ends by itself and says why.
  void write_ready() {
    if (pipes_[2].fd < 0 || pipes_[2].revents == 0) return;
    const ssize_t count =
        ::send(input_, pending_.data(), pending_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      pending_.erase(0, static_cast<std::size_t>(count));
    } else if (errno != EINTR && errno != EAGAIN) {
      end_input();
    }
  }

  const char* read_ready() {
    std::array<char, 65536> buffer;
    write_ready();
    for (std::size_t i = 0; i < 2; ++i) {
      if (pipes_[i].fd < 0 || pipes_[i].revents == 0) continue;
      const ssize_t count = ::read(pipes_[i].fd, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        pipes_[i].fd = -1;
        continue;
      }
      const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
      awaits_output_ = false;
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
  std::array<pollfd, 3> pipes_;  // output, errors, and input while there is something to write
  int input_;
  std::string pending_;  // input
  bool is_last_ = false;
  bool awaits_output_ = false;
  Clock::time_point begin_;
  std::optional<Clock::time_point> interrupted_;
  static constexpr std::chrono::seconds kBetweenQuestions{1};
  Clock::time_point next_question_ = Clock::now() + kBetweenQuestions;
  bool ended_ = false;
  int status_ = 0;
  GuardedResult result_;
};

}  // namespace

base::Result<GuardedResult> run_guarded(const GuardedProcess& process) {
  OpenFiles open;
  std::array<std::array<int, 2>, 2> pipes;
  for (auto& ends : pipes) {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failure("making a pipe failed", errno);
    for (const int end : ends) open.keep(end);
  }
  Launch what{.arguments = process.arguments,
              .environment = environment_with(process.environment, process.without),
              .directory = process.directory};
  const auto input = MemoryFile::make(process.input);
  if (!input) return input.error();
  what.input = input->descriptor();
  std::array<int, 2> talk = {-1,
                             -1};  // a socket: writing to a pipe without a reader raises a signal
  if (process.next_input) {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk.data()) != 0) {
      return failure("making a socket failed", errno);
    }
    for (const int end : talk) open.keep(end);
    what.input = talk[1];
  }
  what.output = pipes[0][1];
  what.errors = pipes[process.joins_errors ? 0 : 1][1];
  what.file_limit = process.file_limit;
  what.memory_limit = process.memory_limit;
  pid_t child = 0;
  const int failed = launch(what, child);
  if (failed != 0) return failure("starting it failed", failed);
  const auto start = std::chrono::steady_clock::now();
  const std::string& name = process.arguments.front();
  process.log.debug([&] {
    return "Started " + name + ", process " + std::to_string(child) +
           (process.directory.empty() ? "" : ", in " + process.directory);
  });
  for (auto& ends : pipes) open.close(ends[1]);
  if (talk[1] >= 0) open.close(talk[1]);
  auto result = Collector(process, child, pipes[0][0], pipes[1][0], talk[0]).run();
  process.log.debug([&] {
    const auto took = std::chrono::steady_clock::now() - start;
    return name + ", process " + std::to_string(child) + ", " +
           (result ? "ended with status " + std::to_string(result->exit_status)
                   : "was killed: " + result.error().what) +
           " after " +
           std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()) +
           " ms";
  });
  return result;
}

}  // namespace tofu::process
