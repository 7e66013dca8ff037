// Detached OpenPGP signatures, checked by librnp.
//
// Documents, signatures and keys are untrusted; a key is trusted only as far as its source. The
// user's own keyring is not used. Safe to use from several threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::fetch {

struct SignatureCheck {
  enum class Verdict : std::uint8_t {
    Valid,
    OtherIssuer,  // made by a key that is not given
    Expired,      // valid but for the time: the signature or the key is too old
  };
  Verdict verdict;
  std::string key_id = {};  // of the primary key: "51852D87348FFC4C"; empty for OtherIssuer
};

// Whether `signature` is one of `document` by one of `keys`, each an armored block. An
// error if no key can be read or the signature is not one of the document.
//
// All keys are tried at once: librnp 0.16 as Debian builds it complains to standard error
// about a signature whose key it does not have, and a registry may give several.
base::Result<SignatureCheck> check_signature(std::string_view document, std::string_view signature,
                                             std::span<const std::string> keys);

}  // namespace tofu::fetch
