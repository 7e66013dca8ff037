#include "tests/runs/crash_points.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

namespace tofu::runs::crash_points {

namespace {

// These are for a child process with one run in it, so there is one of each.
std::atomic<Then> g_then = Then::Nothing;
std::atomic<int> g_at = 0;
std::atomic<int> g_passed = 0;
std::atomic<bool> g_armed = false;

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  while (true) ::pause();
}

// Whether this call is to fail.
bool reached(bool can_fail) {
  if (!g_armed) return false;
  const int now = ++g_passed;
  switch (g_then) {
    case Then::Nothing: return false;
    case Then::Die:
      if (now >= g_at) die();
      return false;
    case Then::FailOnce: return can_fail && now == g_at;
    case Then::FailOn: return can_fail && now >= g_at;
  }
  return false;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

void arm(Then then, int at) {
  g_then = then;
  g_at = at;
  g_passed = 0;
  g_armed = true;
}

void disarm() { g_armed = false; }

int passed() { return g_passed; }

void point() { (void)reached(false); }

// Whether the C library's function is not to be called.
bool is_refused() {
  if (!reached(true)) return false;
  errno = ENOSPC;
  return true;
}

}  // namespace tofu::runs::crash_points

namespace points = tofu::runs::crash_points;

extern "C" {

ssize_t write(int file, const void* bytes, size_t count) {
  static const auto real = points::next<ssize_t (*)(int, const void*, size_t)>("write");
  // What is printed is no file.
  if (file > STDERR_FILENO && points::is_refused()) return -1;
  return real(file, bytes, count);
}

int fsync(int file) {
  static const auto real = points::next<int (*)(int)>("fsync");
  return points::is_refused() ? -1 : real(file);
}

int fdatasync(int file) {
  static const auto real = points::next<int (*)(int)>("fdatasync");
  return points::is_refused() ? -1 : real(file);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = points::next<int (*)(const char*, const char*)>("rename");
  return points::is_refused() ? -1 : real(from, to);
}

}  // extern "C"
