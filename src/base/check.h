// Checks of internal invariants: TOFU_CHECK and InternalError.
//
// Errors in user input are diagnostics and never go through here. A failed check means that the
// program is in a state we did not foresee, so checks stay on in release builds and throw the
// program's one exception.
//
// Promise: InternalError is caught only at the border of a task (task.h), which throws
// it again where the task is waited for, and in main(). Nothing else in src/ catches it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tofu::base {

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Never returns. `promise` describes the invariant.
[[noreturn, gnu::cold]] void broken_promise(std::string_view promise);
[[noreturn, gnu::cold]] void broken_promise(std::string_view promise, const char* file, int line);

}  // namespace tofu::base

#define TOFU_CHECK(condition, promise) \
  ((condition) ? void() : ::tofu::base::broken_promise((promise), __FILE__, __LINE__))
