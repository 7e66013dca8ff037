// libcrypto of a build that links it (TOFU_SHARED).
#include "base/crypto_library.h"

namespace tofu::base {

void require_libcrypto() {}  // without it the program would not have started

}  // namespace tofu::base
