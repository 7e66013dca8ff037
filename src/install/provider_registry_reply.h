// Parses the responses of provider registries and network mirrors.
//
// Answers come from the network and are not trusted: a response that does not follow the protocol
// is an error, a clause about the response. No requests are made here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/version.h"
#include "base/result.h"
#include "install/install_method.h"

namespace tofu::install {

// {"versions":[{"version":"1.0.0","protocols":["5.0"]}],"warnings":[]}
base::Result<OfferedVersions> provider_versions_in(std::string_view body);

// The answer to the question for a package: see the provider registry protocol.
struct RegistryPackage {
  std::vector<std::string> protocols;  // "5.0"; empty: not said
  std::string download_url;            // as written, like the others
  std::string checksums_url;
  std::string signature_url;
  SigningMetadata evidence;  // without what is at these addresses
};
base::Result<RegistryPackage> provider_package_in(std::string_view body);

// {"versions":{"1.0.0":{}}} of a network mirror. Versions that cannot be read are left
// out, as OpenTofu does.
base::Result<OfferedVersions> mirror_versions_in(std::string_view body);

// {"archives":{"linux_amd64":{"url":"…","hashes":["h1:…"]}}} of a network mirror.
struct MirrorArchive {
  std::string url;
  std::vector<std::string> hashes;
};
base::Result<std::map<std::string, MirrorArchive, std::less<>>> mirror_archives_in(
    std::string_view body);

}  // namespace tofu::install
