// expect: deleted
// A secret is revealed by name, for an origin, and never by conversion.
#include <string>

#include "net/secret.h"

std::string text_of(const tofu::net::Secret& secret) {
#ifdef MISUSE
  return secret;
#else
  return fmt::format("{}", secret);
#endif
}
