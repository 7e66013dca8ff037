#include "base/check.h"

#include "base/dynamic_library.h"

namespace tofu::base {

void broken_promise(std::string_view promise) { throw InternalError(std::string(promise)); }

void broken_promise(std::string_view promise, const char* file, int line) {
  throw InternalError(std::string(promise) + " (" + file + ":" + std::to_string(line) + ")");
}

void missing_library(const Error& why) { throw MissingLibrary(why.what); }

}  // namespace tofu::base
