// Broken promises: what happens when our own code is wrong.
//
// A user's mistake is never reported through here; it is a diagnostic. A check
// that fails means that going on would act on a state we did not foresee, so
// the check stays on in release builds and throws the program's one exception.
//
// Promise: BrokenPromise is caught only at the border of a task (task.h), which throws
// it again where the task is waited for, and in main(). Nothing else in src/ catches it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tofu::base {

class BrokenPromise : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Never returns. `promise` says what was supposed to hold.
[[noreturn, gnu::cold]] void broken_promise(std::string_view promise);
[[noreturn, gnu::cold]] void broken_promise(std::string_view promise, const char* file, int line);

}  // namespace tofu::base

#define TOFU_CHECK(condition, promise) \
  ((condition) ? void() : ::tofu::base::broken_promise((promise), __FILE__, __LINE__))
