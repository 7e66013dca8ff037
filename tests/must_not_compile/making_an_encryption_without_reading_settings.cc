// expect: private
#include "workdir/command_encryption.h"

tofu::workdir::StateEncryption make() {
#ifdef MISUSE
  return tofu::workdir::StateEncryption(tofu::state::no_encryption());
#else
  return tofu::workdir::CommandEncryption::none().state();
#endif
}
