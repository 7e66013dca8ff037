#include "base/thread.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <sched.h>
#include <sys/resource.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/check.h"

namespace tofu::base {
namespace {

using Work = std::function<void()>;

struct Start {
  Work work;
  std::optional<cpu_set_t> processors;  // that it may use once it has begun
};

void* run(void* start) {
  const std::unique_ptr<Start> owned(static_cast<Start*>(start));
  if (owned->processors) (void)::sched_setaffinity(0, sizeof(cpu_set_t), &*owned->processors);
  owned->work();
  return nullptr;
}

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// Has the thread begin on another processor than this one. The system may not know of one that is
// free, in virtual machines above all, and then puts a new thread behind the one that starts it,
// where it waits for milliseconds. The processors that it may use afterwards; nothing if there is
// no other to begin on.
std::optional<cpu_set_t> begin_elsewhere(pthread_attr_t& attributes) {
  cpu_set_t all;
  const int here = ::sched_getcpu();
  if (here < 0 || ::sched_getaffinity(0, sizeof all, &all) != 0) return std::nullopt;
  cpu_set_t others = all;
  CPU_CLR(static_cast<std::size_t>(here), &others);
  if (CPU_COUNT(&others) == 0) return std::nullopt;
  if (::pthread_attr_setaffinity_np(&attributes, sizeof others, &others) != 0) return std::nullopt;
  return all;
}

rlimit stack_limit() {
  rlimit limit{};
  (void)::getrlimit(RLIMIT_STACK, &limit);
  return limit;
}

}  // namespace

Thread::Thread(std::size_t stack_bytes, Work work) {
  if (!start(stack_bytes, work)) {
    throw std::system_error(EAGAIN, std::generic_category(), "cannot start a thread");
  }
}

Thread Thread::start_or_run(std::size_t stack_bytes, Work work) {
  Thread thread;
  if (!thread.start(stack_bytes, work)) work();
  return thread;
}

bool Thread::start(std::size_t stack_bytes, Work& work) {
  pthread_attr_t attributes;
  TOFU_CHECK(::pthread_attr_init(&attributes) == 0, "a thread can be described");
  const auto least = static_cast<std::size_t>(::sysconf(_SC_THREAD_STACK_MIN));
  const int sized =
      ::pthread_attr_setstacksize(&attributes, whole_pages(std::max(stack_bytes, least)));
  auto owned = std::make_unique<Start>(std::move(work), begin_elsewhere(attributes));
  pthread_t handle{};
  const int started = sized == 0 ? ::pthread_create(&handle, &attributes, run, owned.get()) : sized;
  ::pthread_attr_destroy(&attributes);
  if (started != 0) {
    work = std::move(owned->work);
    return false;
  }
  owned.release();  // the thread's now
  handle_ = handle;
  return true;
}

void Thread::join() {
  if (!handle_) return;
  const pthread_t handle = *std::exchange(handle_, std::nullopt);
  TOFU_CHECK(::pthread_join(handle, nullptr) == 0, "a thread is joined once, by another one");
}

unsigned processors() {
  cpu_set_t all;
  // With more processors than fit there, this fails.
  if (::sched_getaffinity(0, sizeof all, &all) != 0) {
    return std::max(1U, std::thread::hardware_concurrency());
  }
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&all)));
}

std::size_t own_stack() {
  // Of the first thread, pthread_getattr_np() would read all that is mapped.
  if (::gettid() == ::getpid()) return stack_limit().rlim_cur;  // none: the largest number
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return 0;
  std::size_t bytes = 0;
  (void)::pthread_attr_getstacksize(&attributes, &bytes);
  ::pthread_attr_destroy(&attributes);
  return bytes;
}

const rlimit& usual_stack_limit() {
  static const rlimit usual = stack_limit();
  return usual;
}

void allow_stack(std::size_t bytes) {
  (void)usual_stack_limit();
  rlimit limit = stack_limit();
  if (limit.rlim_cur >= bytes) return;
  limit.rlim_cur = bytes;
  (void)::setrlimit(RLIMIT_STACK, &limit);
}

}  // namespace tofu::base
