#include "process/child_process.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/launch.h"

namespace tofu::process {

namespace {

struct Pipe {
  base::Descriptor read;
  base::Descriptor write;
};

// Nothing, with errno set, if there is none.
std::optional<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  Pipe pipe{base::Descriptor(ends[0]), base::Descriptor(ends[1])};
  if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return std::nullopt;
  return pipe;
}

}  // namespace

base::Result<ChildProcess> ChildProcess::start(
    std::vector<std::string> arguments,
    const std::vector<std::pair<std::string, std::string>>& environment,
    const ProgramFile* program) {
  const base::Error changed{"it was changed after it was checked"};
  if (program != nullptr && !program->is_unchanged()) return changed;
  auto output = make_pipe();
  if (!output) return base::system_error(errno);
  auto errors = make_pipe();
  if (!errors) return base::system_error(errno);
  Launch what{.arguments = std::move(arguments), .environment = environment_with(environment, {})};
  what.output = output->write.number();
  what.errors = errors->write.number();
  if (program != nullptr) what.program = program->number();
  pid_t child = 0;
  const int failed = launch(what, child);
  if (failed != 0) return base::system_error(failed);
  ChildProcess started(child, std::move(output->read), std::move(errors->read));
  // As long as it runs it cannot be written to, so this is the last look that is needed.
  if (program != nullptr && !program->is_unchanged()) return changed;
  return started;
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

}  // namespace tofu::process
