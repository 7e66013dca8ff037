// expect: deleted
// Joining a secret with text would give text that prints.
#include <string>

#include "transport/secret.h"

auto header_of(const tofu::transport::Secret& secret) {
#ifdef MISUSE
  return "Bearer " + secret;
#else
  return tofu::transport::bearer_token(secret);
#endif
}
