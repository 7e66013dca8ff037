#include "base/child_process.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/launch.h"

namespace tofu::base {

namespace {

struct Pipe {
  Descriptor read;
  Descriptor write;
};

// Nothing, with errno set, if there is none.
std::optional<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return std::nullopt;
  return pipe;
}

}  // namespace

Result<ChildProcess> ChildProcess::start(
    std::vector<std::string> arguments,
    const std::vector<std::pair<std::string, std::string>>& environment) {
  auto output = make_pipe();
  if (!output) return system_error(errno);
  auto errors = make_pipe();
  if (!errors) return system_error(errno);
  Launch what{.arguments = std::move(arguments), .environment = environment_with(environment, {})};
  what.output = output->write.number();
  what.errors = errors->write.number();
  pid_t child = 0;
  const int failed = launch(what, child);
  if (failed != 0) return system_error(failed);
  return ChildProcess(child, std::move(output->read), std::move(errors->read));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, 0)),
      output_(std::move(other.output_)),
      errors_(std::move(other.errors_)),
      status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (id_ == 0) return;
  kill();
  if (status_) return;
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::kill() {
  if (!ended()) ::kill(-id_, SIGKILL);
}

std::optional<int> ChildProcess::ended() {
  int status = 0;
  if (!status_ && ::waitpid(id_, &status, WNOHANG) == id_) status_ = exit_status_of(status);
  return status_;
}

}  // namespace tofu::base
