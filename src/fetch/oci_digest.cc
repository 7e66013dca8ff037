#include "fetch/oci_digest.h"

#include <fmt/format.h>
#include <utility>

#include "base/hashes.h"

namespace tofu::fetch {

namespace {

base::Hash hash_of(DigestKind kind) {
  switch (kind) {
    case DigestKind::Sha256: return base::Hash::Sha256;
    case DigestKind::Sha512: return base::Hash::Sha512;
  }
  base::broken_promise("a digest is of a known kind");
}

}  // namespace

base::Result<OciDigest> OciDigest::parse(std::string_view text) {
  for (const DigestKind kind : {DigestKind::Sha256, DigestKind::Sha512}) {
    const std::string_view name = base::name_of(hash_of(kind));
    if (!text.starts_with(name) || text.substr(name.size(), 1) != ":") continue;
    const std::string_view hex = text.substr(name.size() + 1);
    if (hex.size() == base::digits_of(hash_of(kind)) &&
        hex.find_first_not_of("0123456789abcdef") == std::string_view::npos) {
      return OciDigest{kind, std::string(hex)};
    }
  }
  return base::Error{
      fmt::format("{:?} is not a digest, such as sha256: and 64 digits", text.substr(0, 140))};
}

OciDigest OciDigest::of_text(DigestKind kind, std::string_view text) {
  return {kind, base::hex_digest(hash_of(kind), text)};
}

base::Result<OciDigest> OciDigest::of_file(DigestKind kind, const std::string& path) {
  auto hex = base::hex_digest_of_file(hash_of(kind), path);
  if (!hex) return std::move(hex).error();
  return OciDigest{kind, std::move(*hex)};
}

std::string OciDigest::to_string() const {
  return fmt::format("{}:{}", base::name_of(hash_of(kind)), hex);
}

}  // namespace tofu::fetch
