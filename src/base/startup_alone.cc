// The start of the program that needs no shared library (TOFU_STATIC).
#include <dlfcn.h>
#include <nss.h>
#include <openssl/crypto.h>

#include "base/startup.h"

// OpenSSL would load providers and engines that openssl.cnf names. In a static program, these take
// the place of the functions of the C library, and no module is ever found.
extern "C" {

void* dlopen(const char* /*file*/, int /*mode*/) noexcept { return nullptr; }

void* dlsym(void* __restrict /*library*/, const char* __restrict /*name*/) noexcept {
  return nullptr;
}

int dlclose(void* /*library*/) noexcept { return -1; }

int dladdr(const void* /*address*/, Dl_info* /*info*/) noexcept { return 0; }

char* dlerror() noexcept {
  static char message[] = "this program loads no libraries";
  return message;
}

}  // extern "C"

namespace tofu::base {

namespace {

constexpr const char* kDatabases[] = {"passwd",    "group",    "initgroups", "services",
                                      "protocols", "networks", "netgroup",   "shadow",
                                      "gshadow",   "ethers",   "rpc",        "aliases"};

}  // namespace

void settle_process() {
  // /etc/nsswitch.conf may name more services than these two, which are part of the C library.
  // Hosts that need another one have a stub resolver in /etc/resolv.conf.
  __nss_configure_lookup("hosts", "files dns");
  for (const char* database : kDatabases) {
    __nss_configure_lookup(database, "files");
  }
  // Its configuration may name modules, and is that of another OpenSSL.
  ::OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
}

}  // namespace tofu::base
