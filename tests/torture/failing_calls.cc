// A library that makes one call of a program to the C library fail, for tools/torture.py.
//
// It is loaded before the others (LD_PRELOAD) and counts the calls that can fail. The one with the
// number TORTURE_AT fails with the errno TORTURE_ERROR; with TORTURE_ON=1 the later ones of its
// kind fail as well. With TORTURE_SIGNAL that signal is sent instead, before the call and, counted
// as another one, after it. TORTURE_KINDS has a letter for each kind of call that counts. The
// counts go to the file TORTURE_REPORT, which is shared memory, so that they outlive the process.
//
// Nothing counts before main() begins. Of allocations only those of the program's own code count:
// libcrypto 3.0 crashes where it gets no memory for its first steps.
//
// Threads: any. Programs that it starts are not tortured.
// The fortified headers define some of these functions themselves.
#undef _FORTIFY_SOURCE
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

// The letters of TORTURE_KINDS.
enum class Kind : char {
  Look = 'l',     // reads a file, its attributes or a directory
  Change = 'c',   // changes a file or a name
  Remove = 'r',   // removes a name
  Process = 'p',  // makes a process, thread or pipe
  Map = 'm',      // maps memory or a file
  Heap = 'h',     // allocates memory
};

// What the file TORTURE_REPORT has; the reader is in tools/torture.py.
struct Report {
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> failed;
  char name[240];  // of the call that failed first, and of its file
};

struct Orders {
  std::uint64_t at = 0;
  int error = EIO;
  int signal = 0;
  bool goes_on = false;
  const char* kinds = "";
};

Orders g_orders;
Report* g_report = nullptr;  // nothing is counted without it
// The code of the program.
std::uintptr_t g_code_begin = 0;
std::uintptr_t g_code_end = 0;

std::uint64_t number_of(const char* name) {
  const char* text = ::getenv(name);
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

void note(const char* call, const char* detail) {
  char* end = g_report->name;
  const auto add = [&](const char* text) {
    const auto room = static_cast<std::size_t>(g_report->name + sizeof g_report->name - 1 - end);
    const std::size_t size = std::min(std::strlen(text), room);
    std::memcpy(end, text, size);
    end += size;
  };
  add(call);
  add(" ");
  add(detail);
}

// Whether this call is to fail.
bool is_due(Kind kind, const char* call, const char* detail) {
  if (g_report == nullptr || std::strchr(g_orders.kinds, static_cast<char>(kind)) == nullptr) {
    return false;
  }
  const std::uint64_t now = ++g_report->calls;
  const bool is_first = now == g_orders.at;
  if (!is_first && !(g_orders.goes_on && g_orders.at != 0 && now > g_orders.at)) return false;
  if (++g_report->failed == 1) note(call, detail);
  if (g_orders.signal == 0) return true;
  (void)::kill(::getpid(), g_orders.signal);
  return false;
}

bool fails(Kind kind, const char* call, const char* detail, int error = g_orders.error) {
  if (!is_due(kind, call, detail)) return false;
  errno = error;
  return true;
}

bool is_program(const void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return g_code_begin <= at && at < g_code_end;
}

// A change took effect: another moment for a signal.
template <class Result>
Result after(Result result, const char* call, const char* detail) {
  if (g_orders.signal == 0) return result;
  const int error = errno;
  (void)is_due(Kind::Change, call, detail);
  errno = error;
  return result;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Of the first entry, which is the program.
int find_code(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    g_code_begin = info->dlpi_addr + part.p_vaddr;
    g_code_end = g_code_begin + part.p_memsz;
  }
  return 1;
}

void begin() {
  const char* path = ::getenv("TORTURE_REPORT");
  if (path == nullptr) return;
  g_orders.at = number_of("TORTURE_AT");
  g_orders.signal = static_cast<int>(number_of("TORTURE_SIGNAL"));
  g_orders.goes_on = number_of("TORTURE_ON") != 0;
  if (const auto error = number_of("TORTURE_ERROR"); error != 0) {
    g_orders.error = static_cast<int>(error);
  }
  if (const char* kinds = ::getenv("TORTURE_KINDS")) g_orders.kinds = ::strdup(kinds);
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* memory = ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  (void)::dl_iterate_phdr(find_code, nullptr);
  for (const char* name : {"LD_PRELOAD", "TORTURE_REPORT", "TORTURE_AT", "TORTURE_SIGNAL",
                           "TORTURE_ON", "TORTURE_ERROR", "TORTURE_KINDS"}) {
    ::unsetenv(name);
  }
  if (memory != MAP_FAILED) g_report = static_cast<Report*>(memory);
}

using Main = int(int, char**, char**);
Main* g_main = nullptr;

int main_in_torture(int count, char** arguments, char** environment) {
  begin();
  return g_main(count, arguments, environment);
}

const char* describe_open(int flags) {
  return (flags & (O_WRONLY | O_RDWR)) != 0 ? "open" : "look";
}

Kind kind_of_open(int flags) {
  return (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0 ? Kind::Change : Kind::Look;
}

mode_t mode_in(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

// Of glibc, beside the names that programs use.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);

int __libc_start_main(Main* main, int count, char** arguments, void (*begins)(), void (*ends)(),
                      void (*unloads)(), void* stack) {
  g_main = main;
  const auto real =
      next<int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main");
  return real(main_in_torture, count, arguments, begins, ends, unloads, stack);
}

void* malloc(std::size_t size) noexcept {
  const bool counts = is_program(__builtin_return_address(0));
  return counts && fails(Kind::Heap, "malloc", "", ENOMEM) ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  const bool counts = is_program(__builtin_return_address(0));
  return counts && fails(Kind::Heap, "calloc", "", ENOMEM) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  const bool counts = is_program(__builtin_return_address(0));
  return counts && fails(Kind::Heap, "realloc", "", ENOMEM) ? nullptr
                                                            : __libc_realloc(memory, size);
}

void* mmap(void* at, std::size_t size, int access, int flags, int file, off_t offset) noexcept {
  static const auto real = next<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  if (fails(Kind::Map, "mmap", file < 0 ? "" : "of a file", ENOMEM)) return MAP_FAILED;
  return real(at, size, access, flags, file, offset);
}

int open(const char* path, int flags, ...) {
  static const auto real = next<int(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  if (fails(kind_of_open(flags), describe_open(flags), path)) return -1;
  return real(path, flags, mode);
}
int openat(int directory, const char* path, int flags, ...) {
  static const auto real = next<int(int, const char*, int, ...)>("openat");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_in(flags, arguments);
  va_end(arguments);
  if (fails(kind_of_open(flags), describe_open(flags), path)) return -1;
  return real(directory, path, flags, mode);
}
FILE* fopen(const char* path, const char* how) {
  static const auto real = next<FILE*(const char*, const char*)>("fopen");
  const bool reads = std::strcmp(how, "r") == 0 || std::strcmp(how, "re") == 0;
  return fails(reads ? Kind::Look : Kind::Change, "fopen", path) ? nullptr : real(path, how);
}
FILE* fopen64(const char* path, const char* how) { return fopen(path, how); }
ssize_t read(int file, void* bytes, std::size_t count) {
  static const auto real = next<ssize_t(int, void*, std::size_t)>("read");
  return fails(Kind::Look, "read", "") ? -1 : real(file, bytes, count);
}
ssize_t pread(int file, void* bytes, std::size_t count, off_t at) {
  static const auto real = next<ssize_t(int, void*, std::size_t, off_t)>("pread");
  return fails(Kind::Look, "pread", "") ? -1 : real(file, bytes, count, at);
}
int stat(const char* path, struct stat* found) noexcept {
  static const auto real = next<int(const char*, struct stat*)>("stat");
  return fails(Kind::Look, "stat", path) ? -1 : real(path, found);
}
int lstat(const char* path, struct stat* found) noexcept {
  static const auto real = next<int(const char*, struct stat*)>("lstat");
  return fails(Kind::Look, "lstat", path) ? -1 : real(path, found);
}
int fstat(int file, struct stat* found) noexcept {
  static const auto real = next<int(int, struct stat*)>("fstat");
  return fails(Kind::Look, "fstat", "") ? -1 : real(file, found);
}
int fstatat(int directory, const char* path, struct stat* found, int flags) noexcept {
  static const auto real = next<int(int, const char*, struct stat*, int)>("fstatat");
  return fails(Kind::Look, "fstatat", path) ? -1 : real(directory, path, found, flags);
}
DIR* opendir(const char* path) {
  static const auto real = next<DIR*(const char*)>("opendir");
  return fails(Kind::Look, "opendir", path) ? nullptr : real(path);
}
struct dirent* readdir(DIR* directory) {
  static const auto real = next<struct dirent*(DIR*)>("readdir");
  return fails(Kind::Look, "readdir", "") ? nullptr : real(directory);
}

// What goes to standard error is how a failure is reported.
ssize_t write(int file, const void* bytes, std::size_t count) {
  static const auto real = next<ssize_t(int, const void*, std::size_t)>("write");
  if (file == STDERR_FILENO) return real(file, bytes, count);
  if (fails(Kind::Change, "write", file == STDOUT_FILENO ? "to standard output" : "")) return -1;
  return after(real(file, bytes, count), "after write", "");
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  static const auto real = next<ssize_t(int, const struct iovec*, int)>("writev");
  if (file == STDERR_FILENO) return real(file, parts, count);
  if (fails(Kind::Change, "writev", file == STDOUT_FILENO ? "to standard output" : "")) return -1;
  return after(real(file, parts, count), "after writev", "");
}
ssize_t pwrite(int file, const void* bytes, std::size_t count, off_t at) {
  static const auto real = next<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  return fails(Kind::Change, "pwrite", "") ? -1 : real(file, bytes, count, at);
}
int fsync(int file) {
  static const auto real = next<int(int)>("fsync");
  return fails(Kind::Change, "fsync", "") ? -1 : after(real(file), "after fsync", "");
}
int fdatasync(int file) {
  static const auto real = next<int(int)>("fdatasync");
  return fails(Kind::Change, "fdatasync", "") ? -1 : after(real(file), "after fdatasync", "");
}
int ftruncate(int file, off_t size) noexcept {
  static const auto real = next<int(int, off_t)>("ftruncate");
  return fails(Kind::Change, "ftruncate", "") ? -1 : after(real(file, size), "after ftruncate", "");
}
int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int(const char*, const char*)>("rename");
  return fails(Kind::Change, "rename", to) ? -1 : after(real(from, to), "after rename", to);
}
int unlink(const char* path) noexcept {
  static const auto real = next<int(const char*)>("unlink");
  return fails(Kind::Remove, "unlink", path) ? -1 : after(real(path), "after unlink", path);
}
int remove(const char* path) noexcept {
  static const auto real = next<int(const char*)>("remove");
  return fails(Kind::Remove, "remove", path) ? -1 : after(real(path), "after remove", path);
}
int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<int(const char*, mode_t)>("mkdir");
  return fails(Kind::Change, "mkdir", path) ? -1 : after(real(path, mode), "after mkdir", path);
}
int link(const char* from, const char* to) noexcept {
  static const auto real = next<int(const char*, const char*)>("link");
  return fails(Kind::Change, "link", to) ? -1 : after(real(from, to), "after link", to);
}
int symlink(const char* to, const char* path) noexcept {
  static const auto real = next<int(const char*, const char*)>("symlink");
  return fails(Kind::Change, "symlink", path) ? -1 : after(real(to, path), "after symlink", path);
}
int fchmod(int file, mode_t mode) noexcept {
  static const auto real = next<int(int, mode_t)>("fchmod");
  return fails(Kind::Change, "fchmod", "") ? -1 : real(file, mode);
}
char* mkdtemp(char* path) noexcept {
  static const auto real = next<char*(char*)>("mkdtemp");
  return fails(Kind::Change, "mkdtemp", path) ? nullptr : real(path);
}
int mkstemp(char* path) {
  static const auto real = next<int(char*)>("mkstemp");
  return fails(Kind::Change, "mkstemp", path) ? -1 : real(path);
}

pid_t fork(void) noexcept {
  static const auto real = next<pid_t()>("fork");
  return fails(Kind::Process, "fork", "", EAGAIN) ? -1 : real();
}
int pipe2(int* ends, int flags) noexcept {
  static const auto real = next<int(int*, int)>("pipe2");
  return fails(Kind::Process, "pipe2", "", EMFILE) ? -1 : real(ends, flags);
}
int memfd_create(const char* name, unsigned flags) noexcept {
  static const auto real = next<int(const char*, unsigned)>("memfd_create");
  return fails(Kind::Process, "memfd_create", name, EMFILE) ? -1 : real(name, flags);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) noexcept {
  static const auto real =
      next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  if (is_due(Kind::Process, "pthread_create", "")) return EAGAIN;
  return real(thread, attributes, work, argument);
}

}  // extern "C"
