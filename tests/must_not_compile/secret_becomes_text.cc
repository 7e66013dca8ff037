// expect: deleted
// A secret is revealed by name, for an origin, and never by conversion.
#include <string>

#include "transport/secret.h"

std::string text_of(const tofu::transport::Secret& secret) {
#ifdef MISUSE
  return secret;
#else
  return fmt::format("{}", secret);
#endif
}
