// Runs one program and says what it cost.
//
// The kernel counts a program's peak memory from the process on that it grew out
// of, so what a Python script starts never looks smaller than Python. This is
// about as small as a parent can be. It also keeps Python's own time of starting
// things out of the measurement.
//
//     launch DESCRIPTOR LIMIT PROGRAM [ARGUMENT...]
//
// runs PROGRAM for LIMIT seconds at most and writes to the open DESCRIPTOR:
// seconds, kilobytes, the wait status, and 1 if the limit was reached, else 0.
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// The child gets the signals that this process keeps for itself.
int start(char** command, const sigset_t& signals, pid_t& child) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &signals);
  const int problem = posix_spawn(&child, command[0], nullptr, &attributes, command, environ);
  posix_spawnattr_destroy(&attributes);
  return problem;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::fputs("usage: launch DESCRIPTOR LIMIT PROGRAM [ARGUMENT...]\n", stderr);
    return 2;
  }
  const int report = std::atoi(words[1]);
  const double limit = std::atof(words[2]);
  fcntl(report, F_SETFD, FD_CLOEXEC);

  sigset_t ended;
  sigset_t before;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, &before);

  const double started = now();
  pid_t child = 0;
  if (start(words + 3, before, child) != 0) {
    std::fprintf(stderr, "launch: cannot start %s\n", words[3]);
    return 2;
  }
  const timespec wait{static_cast<time_t>(limit),
                      static_cast<long>((limit - std::floor(limit)) * 1e9)};
  const bool cut_off = sigtimedwait(&ended, nullptr, &wait) < 0;
  if (cut_off) kill(child, SIGKILL);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  dprintf(report, "%.6f %ld %d %d\n", now() - started, usage.ru_maxrss, status, cut_off ? 1 : 0);
  return 0;
}
