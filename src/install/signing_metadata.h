// Checksums and signatures of a provider's package.
//
// A registry lists the checksums of a version's archives in a file that the provider's
// developer has signed. That file is checked before anything is downloaded; the download
// then has to have the checksum that is listed. Mirrors only name hashes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/provider.h"
#include "base/result.h"
#include "install/install_method.h"
#include "install/platform.h"

namespace tofu::install {

enum class Authenticity : std::uint8_t {
  Unauthenticated,   // no checksums are known
  VerifiedChecksum,  // it has a hash that was known before
  SigningSkipped,    // its registry names hashes, but has no key of the developer
  Signed,            // its hash is in a list that the developer has signed
};
// As init prints it: "signed".
std::string_view name_of(Authenticity how);

// The signature policy from the environment.
struct SignaturePolicy {
  bool always_required = false;  // OPENTOFU_ENFORCE_GPG_VALIDATION: also where there are no keys
  bool refuses_expired = false;  // OPENTOFU_ENFORCE_GPG_EXPIRATION
};

struct VerifiedChecksums {
  Authenticity how = Authenticity::Unauthenticated;
  std::vector<std::string> hashes = {};  // of all platforms, to be locked
  std::string key_id = {};               // who signed
  bool has_expired_key = false;          // it was accepted nevertheless
};

// Whether a hash is of a scheme that packages are compared by: h1 or zh.
bool is_known_hash(std::string_view hash);

// Whether a text is a SHA-256 checksum in hexadecimal digits of either case.
bool is_sha256(std::string_view hex);

// Whether the registry's answers fit together and are signed as they have to be: without a key only
// at the default registry.
base::Result<VerifiedChecksums> check_evidence(const SigningMetadata& evidence,
                                               const addrs::Provider& provider,
                                               const Platform& platform,
                                               const SignaturePolicy& policy);

// Whether packages of the provider have to be signed even if there is no key.
bool needs_signature(const addrs::Provider& provider, const SignaturePolicy& policy);

}  // namespace tofu::install
