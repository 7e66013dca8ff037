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
// seconds, kilobytes, the wait status, 1 if the limit was reached, else 0, and the
// kilobytes and seconds of processor time of PROGRAM alone. The kilobytes before are
// those of the largest process, be it PROGRAM or one that it has started and waited
// for, such as a provider. The kernel forgets which when a process ends, so what
// PROGRAM alone costs is looked at while it runs.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

struct Share {
  long kilobytes = 0;
  double seconds = 0;
};

// What a process has cost so far; nothing is found of one that has ended.
Share share_of(pid_t process) {
  Share found;
  char text[4096];
  std::snprintf(text, sizeof text, "/proc/%d/status", static_cast<int>(process));
  if (std::FILE* file = std::fopen(text, "r")) {
    while (std::fgets(text, sizeof text, file) != nullptr) {
      if (std::sscanf(text, "VmHWM: %ld", &found.kilobytes) == 1) break;
    }
    std::fclose(file);
  }
  std::snprintf(text, sizeof text, "/proc/%d/stat", static_cast<int>(process));
  if (std::FILE* file = std::fopen(text, "r")) {
    long user = 0;
    long system = 0;
    // The name of the program, in parentheses, may hold anything.
    const char* rest =
        std::fgets(text, sizeof text, file) == nullptr ? nullptr : std::strrchr(text, ')');
    if (rest != nullptr &&
        std::sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user,
                    &system) == 2) {
      found.seconds =
          static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
    }
    std::fclose(file);
  }
  return found;
}

// Whether the child ended before the limit. Meanwhile `share` grows with it.
bool wait_for(pid_t child, const sigset_t& ended, double until, Share& share) {
  // Seldom: looking takes time from programs that are done in a few milliseconds.
  const timespec pause{0, 20'000'000};
  while (now() < until) {
    if (sigtimedwait(&ended, nullptr, &pause) >= 0) return true;
    const Share seen = share_of(child);
    if (seen.kilobytes > share.kilobytes) share.kilobytes = seen.kilobytes;
    if (seen.seconds > share.seconds) share.seconds = seen.seconds;
  }
  return false;
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
  Share share;
  const bool cut_off = !wait_for(child, ended, started + limit, share);
  if (cut_off) kill(child, SIGKILL);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  // One that ends at once was never seen, and has started nothing that is larger.
  if (share.kilobytes == 0) share.kilobytes = usage.ru_maxrss;
  dprintf(report, "%.6f %ld %d %d %ld %.2f\n", now() - started, usage.ru_maxrss, status,
          cut_off ? 1 : 0, share.kilobytes, share.seconds);
  return 0;
}
