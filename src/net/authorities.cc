#include "net/authorities.h"

#include <sys/stat.h>
#include <utility>

namespace tofu::net {

namespace {

// The newer place of a distribution first: its updates may leave the older one as it was.
constexpr std::string_view kFiles[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Gentoo, Nix
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL
    "/etc/pki/tls/certs/ca-bundle.crt",                   // older RHEL
    "/var/lib/ca-certificates/ca-bundle.pem",             // openSUSE, SLES
    "/etc/ssl/ca-bundle.pem",                             // older SUSE
    "/etc/pki/tls/cacert.pem",                            // OpenELEC
    "/etc/ssl/cert.pem",                                  // Alpine, BSD
};
constexpr std::string_view kDirectory = "/etc/ssl/certs";

}  // namespace

Authorities system_authorities(std::string_view root) {
  struct stat found = {};
  for (const std::string_view file : kFiles) {
    std::string path = std::string(root).append(file);
    if (::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode))
      return {.file = std::move(path)};
  }
  std::string path = std::string(root).append(kDirectory);
  if (::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
    return {.directory = std::move(path)};
  }
  return {};
}

}  // namespace tofu::net
