// libidn2 of a build that links it (TOFU_SHARED).
#include "base/idn2_library.h"

namespace tofu::base {

const Result<Idn2Library>& idn2_library() {
  static const Result<Idn2Library> library = Idn2Library{
      .to_ascii = &::idn2_to_ascii_8z,
      .to_unicode = &::idn2_to_unicode_8z8z,
  };
  return library;
}

}  // namespace tofu::base
