// Digests of OCI: "sha256:9f86…", which name a content by what is in it.
//
// Text of a registry comes in and is checked in full, so that what goes out can stand
// in a path or in an address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::fetch {

enum class DigestKind : std::uint8_t { Sha256, Sha512 };

struct OciDigest {
  DigestKind kind = DigestKind::Sha256;
  std::string hex;  // in lower case, as many as the kind has

  static base::Result<OciDigest> parse(std::string_view text);
  static OciDigest of_text(DigestKind kind, std::string_view text);
  static base::Result<OciDigest> of_file(DigestKind kind, const std::string& path);

  std::string to_string() const;
  bool operator==(const OciDigest&) const = default;
};

}  // namespace tofu::fetch
