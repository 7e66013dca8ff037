#include "base/idn2_library.h"

#include <utility>

#include "base/dynamic_library.h"

namespace tofu::base {

namespace {

Result<Idn2Library> load() {
  auto library = DynamicLibrary::load("libidn2.so.0", "libidn2-0");
  if (!library) return std::move(library).error();
  Idn2Library idn2{};
  library->find("idn2_to_ascii_8z", idn2.to_ascii);
  library->find("idn2_to_unicode_8z8z", idn2.to_unicode);
  if (auto found = library->check(); !found) return found.error();
  return idn2;
}

}  // namespace

const Result<Idn2Library>& idn2_library() {
  static const Result<Idn2Library> library = load();
  return library;
}

}  // namespace tofu::base
