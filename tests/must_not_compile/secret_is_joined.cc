// expect: deleted
// Joining a secret with text would give text that prints.
#include <string>

#include "net/secret.h"

auto header_of(const tofu::net::Secret& secret) {
#ifdef MISUSE
  return "Bearer " + secret;
#else
  return tofu::net::bearer_token(secret);
#endif
}
