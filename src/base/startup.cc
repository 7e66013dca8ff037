#include "base/startup.h"

namespace tofu::base {

void settle_process() {}  // with shared libraries, modules of the system fit

}  // namespace tofu::base
