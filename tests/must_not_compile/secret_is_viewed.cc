// expect: deleted
// A function that takes text does not take a secret: arguments of programs are text.
#include <string>
#include <string_view>
#include <vector>

#include "net/secret.h"

void run_program(const std::vector<std::string>& arguments);

void run(const tofu::net::Secret& secret) {
#ifdef MISUSE
  run_program({"program", secret});
#else
  run_program({"program", secret.is_empty() ? "" : "--with-secret"});
#endif
}
