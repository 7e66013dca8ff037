#include "base/thread.h"

#include <algorithm>
#include <memory>
#include <unistd.h>

#include "base/check.h"

namespace tofu::base {
namespace {

using Work = std::function<void()>;

void* run(void* work) {
  const std::unique_ptr<Work> owned(static_cast<Work*>(work));
  (*owned)();
  return nullptr;
}

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

Thread::Thread(std::size_t stack_bytes, Work work) {
  TOFU_CHECK(start(stack_bytes, work), "the system has room for another thread");
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
  auto owned = std::make_unique<Work>(std::move(work));
  pthread_t handle{};
  const int started = sized == 0 ? ::pthread_create(&handle, &attributes, run, owned.get()) : sized;
  ::pthread_attr_destroy(&attributes);
  if (started != 0) {
    work = std::move(*owned);
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

}  // namespace tofu::base
