#include "base/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tofu::base {

Result<DynamicLibrary> DynamicLibrary::load(const char* file, const char* package) {
  void* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    return Error{fmt::format(
        "the library {}, which is needed for this, cannot be loaded: {} (Debian package {})", file,
        why == nullptr ? "no reason is known" : why, package)};
  }
  return DynamicLibrary(library, file);
}

Result<void> DynamicLibrary::check() const {
  if (missing_.empty()) return {};
  return Error{fmt::format("the library {} has no function {}", file_, missing_)};
}

void* DynamicLibrary::address_of(const char* name) {
  void* found = ::dlsym(library_, name);
  if (found == nullptr && missing_.empty()) missing_ = name;
  return found;
}

}  // namespace tofu::base
