#include "process/launch.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <linux/close_range.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"

extern char** environ;

namespace tofu::process {

namespace {

// Data for the new processes, prepared before they start: after fork() in a program with threads
// they may only make system calls.
struct Plan {
  const Launch& launch;
  char* const* arguments;
  char* const* environment;
  pid_t parent;
  int failure;  // where an errno goes if the program cannot be started
  rlimit stack;
};

[[noreturn]] void give_up(int failure) {
  const int code = errno;
  (void)!::write(failure, &code, sizeof code);
  ::_exit(127);
}

// A copy with that number, unless it has it.
bool place_descriptor(int from, int to) {
  if (from == to) return ::fcntl(from, F_SETFD, 0) == 0;
  return ::dup2(from, to) >= 0;
}

bool limit(__rlimit_resource resource, std::uint64_t most) {
  if (most == 0) return true;
  const rlimit both{most, most};
  return ::setrlimit(resource, &both) == 0;
}

void set_default_signals() {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &usual, nullptr);
}

// In the process that becomes the program.
[[noreturn]] void become_program(const Plan& plan) {
  const Launch& launch = plan.launch;
  int input = launch.input;
  if (input < 0) input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool ready = input >= 0 && place_descriptor(input, STDIN_FILENO) &&
               place_descriptor(launch.output, STDOUT_FILENO) &&
               (launch.errors < 0 || place_descriptor(launch.errors, STDERR_FILENO));
  ready = ready && (launch.directory.empty() || ::chdir(launch.directory.c_str()) == 0);
  (void)::setrlimit(RLIMIT_STACK, &plan.stack);
  ready = ready && limit(RLIMIT_FSIZE, launch.file_limit);
  ready = ready && limit(RLIMIT_DATA, launch.memory_limit);
  if (!ready) give_up(plan.failure);
  // Libraries (libcurl) open some without O_CLOEXEC. Old kernels do not know the call.
  ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (launch.program < 0) {
    ::execvpe(plan.arguments[0], plan.arguments, plan.environment);
    give_up(plan.failure);
  }
  ::fexecve(launch.program, plan.arguments, plan.environment);
  // The interpreter of a script opens the script by this descriptor.
  if (errno == ENOENT && ::fcntl(launch.program, F_SETFD, 0) == 0) {
    ::fexecve(launch.program, plan.arguments, plan.environment);
  }
  give_up(plan.failure);
}

// Locks and pipes of ours must not stay open as long as the watcher lives.
void close_all() {
  if (::syscall(SYS_close_range, 0U, ~0U, 0U) == 0) return;
  rlimit open{};
  ::getrlimit(RLIMIT_NOFILE, &open);
  for (rlim_t each = 0; each < open.rlim_cur; ++each) ::close(static_cast<int>(each));
}

// In the watcher: waits for the program or for our end. All signals are blocked.
[[noreturn]] void watch(const Plan& plan) {
  ::setsid();
  set_default_signals();
  if (::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) give_up(plan.failure);
  if (::getppid() != plan.parent) ::_exit(127);  // we ended before that
  const pid_t program = ::vfork();
  if (program < 0) give_up(plan.failure);
  if (program == 0) become_program(plan);
  close_all();
  sigset_t awaited;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, SIGCHLD);
  ::sigaddset(&awaited, SIGTERM);
  while (true) {
    if (::sigwaitinfo(&awaited, nullptr) == SIGTERM) ::kill(0, SIGKILL);  // and itself
    int status = 0;
    if (::waitpid(program, &status, WNOHANG) != program) continue;
    ::_exit(exit_status_of(status));
  }
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// An errno from the new process; 0 if the program runs, which closes the pipe.
int read_failure(int pipe) {
  int code = 0;
  ssize_t got = -1;
  do {
    got = ::read(pipe, &code, sizeof code);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof code) ? code : 0;
}

}  // namespace

int exit_status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int launch(const Launch& what, pid_t& child) {
  std::vector<std::string> arguments = what.arguments;
  std::vector<std::string> environment = what.environment;
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return errno;
  const Plan plan{what,    argument_pointers.data(), environment_pointers.data(), ::getpid(),
                  pipe[1], base::usual_stack_limit()};
  // No handler of ours may run in the watcher.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  child = ::fork();
  if (child == 0) watch(plan);
  const int forked = child < 0 ? errno : 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(pipe[1]);
  const int failed = forked != 0 ? forked : read_failure(pipe[0]);
  ::close(pipe[0]);
  if (failed != 0 && forked == 0) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return failed;
}

std::vector<std::string> environment_with(
    std::span<const std::pair<std::string, std::string>> added,
    std::span<const std::string> without) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced =
        std::ranges::any_of(added, [&](const auto& it) { return it.first == name; });
    if (replaced || std::ranges::find(without, name) != without.end()) continue;
    all.emplace_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

}  // namespace tofu::process
