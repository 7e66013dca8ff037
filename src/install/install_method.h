// Sources of provider packages: an installation method of the CLI configuration.
//
// A method lists the versions of a provider, and returns the location and metadata of the package
// of one version for one platform. It fetches nothing but these answers. Methods are used from
// several threads at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "addrs/provider.h"
#include "addrs/version.h"
#include "base/result.h"
#include "fetch/oci_digest.h"
#include "fetch/oci_session.h"
#include "install/platform.h"

namespace tofu::install {

struct OfferedVersions {
  std::vector<addrs::Version> versions;    // in no order
  std::vector<std::string> warnings = {};  // of a registry, for people
};

// The location of a package.
struct PackageDirectory {  // unpacked, on this machine
  std::string path;
};
struct PackageFile {  // packed, on this machine
  std::string path;
};
struct PackageUrl {
  std::string url;
  unsigned retries;
};
struct PackageBlob {  // of an OCI registry
  fetch::OciRepository repository;
  fetch::OciDigest digest;
  std::uint64_t size;
};
using PackageLocation = std::variant<PackageDirectory, PackageFile, PackageUrl, PackageBlob>;

// A registry's metadata for one version of a provider, and its signers.
struct SigningMetadata {
  struct Package {
    std::vector<std::string> hashes;
    std::int64_t size = 0;
  };
  std::string filename;           // of the archive, as it is listed in the checksums
  std::string sha256;             // of the archive, in lower-case hexadecimal
  std::string checksums;          // the file SHA256SUMS
  std::string signature;          // of that file
  std::vector<std::string> keys;  // armored; empty: the registry has none
  // Of all platforms. Older registries say nothing of them.
  std::map<std::string, Package, std::less<>> packages;
};

struct PackageOffer {
  PackageLocation location;
  // The response of a mirror: the package has to have one of these. Empty: nothing is said.
  std::vector<std::string> hashes = {};
  // The mirror's hashes of all platforms are to be locked, not only those of downloaded packages.
  bool trusts_all_hashes = false;
  std::optional<SigningMetadata> evidence = {};
};

struct MethodProblem {
  enum class Kind : std::uint8_t {
    NotFound,   // a mirror does not have the provider
    NotKnown,   // its registry does not have the provider
    NoPackage,  // there is none for this platform
    Failed,     // anything else, which another method does not make good
  };
  Kind kind = Kind::Failed;
  std::string what = {};
};

class InstallMethod {
 public:
  virtual ~InstallMethod() = default;

  virtual base::Result<OfferedVersions, MethodProblem> versions(
      const addrs::Provider& provider) = 0;
  virtual base::Result<PackageOffer, MethodProblem> package(const addrs::Provider& provider,
                                                            const addrs::Version& version,
                                                            const Platform& platform) = 0;
  // "registry registry.example.com"
  virtual std::string for_display(const addrs::Provider& provider) const = 0;
};

}  // namespace tofu::install
