// Libraries that are loaded when they are first needed.
//
// Linking with them would make every start of the program pay for what most starts never use, and
// linking their archives would keep Debian's security updates away from code that reads untrusted
// input. Each library has a table of functions of its own (curl, libarchive, libxml2, libidn2),
// filled through this; those of libcrypto, which many files use, keep their names
// (crypto_library.cc).
//
// A build that links all its libraries (TOFU_SHARED) has the files `*_library_linked.cc` in their
// place, and uses none of this.
#pragma once

#include <string>

#include "base/check.h"
#include "base/result.h"

namespace tofu::base {

// A library that the program was installed with cannot be used. It is reported as an incomplete
// installation, by an InternalError, because functions with the names of a library's functions have
// no other way to fail.
class MissingLibrary : public InternalError {
 public:
  using InternalError::InternalError;
};

// Never returns.
[[noreturn, gnu::cold]] void missing_library(const Error& why);

// Looks functions up, and remembers the first that is missing. The library stays loaded
// until the program ends.
class DynamicLibrary {
 public:
  // `file` is a soname such as "libcurl.so.4"; `package` is where Debian has it.
  static Result<DynamicLibrary> load(const char* file, const char* package);

  template <class Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(address_of(name));
  }
  // An error if a function was missing.
  Result<void> check() const;

 private:
  DynamicLibrary(void* library, const char* file) : library_(library), file_(file) {}
  void* address_of(const char* name);

  void* library_;
  const char* file_;
  std::string missing_ = {};
};

}  // namespace tofu::base
