#include "base/check.h"

namespace tofu::base {

void broken_promise(std::string_view promise) { throw BrokenPromise(std::string(promise)); }

void broken_promise(std::string_view promise, const char* file, int line) {
  throw BrokenPromise(std::string(promise) + " (" + file + ":" + std::to_string(line) + ")");
}

}  // namespace tofu::base
