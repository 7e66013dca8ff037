#include "install/signing_metadata.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "base/ascii.h"
#include "base/hex.h"
#include "fetch/openpgp.h"

namespace tofu::install {

namespace {

using Verdict = fetch::SignatureCheck::Verdict;

bool is_hash_of_archive(std::string_view hash) { return hash.starts_with("zh:"); }

struct ListedChecksum {
  std::string sha256;
  std::string filename;
};

// The lines "CHECKSUM  NAME" of SHA256SUMS. Nothing if it is something else.
std::optional<std::vector<ListedChecksum>> read_checksums(const std::string& text) {
  std::vector<ListedChecksum> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    ListedChecksum listed;
    if (!(words >> listed.sha256)) continue;
    if (!is_sha256(listed.sha256) || !(words >> listed.filename)) return std::nullopt;
    listed.sha256 = base::ascii_lower(listed.sha256);
    lines.push_back(std::move(listed));
  }
  return lines;
}

base::Result<void> check_platforms(const SigningMetadata& evidence, const Platform& platform) {
  if (evidence.packages.empty()) return {};
  const auto own = evidence.packages.find(platform.to_string());
  if (own == evidence.packages.end()) {
    return base::Error{
        fmt::format("the registry does not describe its package for {}", platform.to_string())};
  }
  if (own->second.size <= 0) {
    return base::Error{
        fmt::format("the registry says that the package has {} bytes", own->second.size)};
  }
  bool has_archive = false;
  for (const std::string& hash : own->second.hashes) {
    if (!is_hash_of_archive(hash)) continue;
    if (hash != "zh:" + evidence.sha256) {
      return base::Error{"the registry names two different checksums for the package"};
    }
    has_archive = true;
  }
  if (!has_archive) return base::Error{"the registry's hashes lack that of the archive"};
  return {};
}

}  // namespace

bool is_known_hash(std::string_view hash) {
  return hash.starts_with("h1:") || is_hash_of_archive(hash);
}

bool is_sha256(std::string_view hex) {
  constexpr std::size_t kDigits = 64;
  return hex.size() == kDigits &&
         std::ranges::all_of(hex, [](char c) { return base::hex_digit(c) >= 0; });
}

std::string_view name_of(Authenticity how) {
  switch (how) {
    case Authenticity::Unauthenticated: return "unauthenticated";
    case Authenticity::VerifiedChecksum: return "verified checksum";
    case Authenticity::SigningSkipped: return "signing skipped";
    case Authenticity::Signed: return "signed";
  }
  return "";
}

bool needs_signature(const addrs::Provider& provider, const SignaturePolicy& policy) {
  return policy.always_required || provider.host.ascii != addrs::kDefaultRegistryHost;
}

base::Result<VerifiedChecksums> check_evidence(const SigningMetadata& evidence,
                                               const addrs::Provider& provider,
                                               const Platform& platform,
                                               const SignaturePolicy& policy) {
  if (auto right = check_platforms(evidence, platform); !right) return right.error();
  const auto listed = read_checksums(evidence.checksums);
  if (!listed) return base::Error{"the list of checksums has another form than SHA256SUMS"};
  const auto own = std::ranges::find(*listed, evidence.filename, &ListedChecksum::filename);
  if (own == listed->end()) {
    return base::Error{fmt::format("the list of checksums lacks {}", evidence.filename)};
  }
  if (own->sha256 != evidence.sha256) {
    return base::Error{fmt::format("the list of checksums has another one for {} than the registry",
                                   evidence.filename)};
  }
  VerifiedChecksums vouched{.how = Authenticity::SigningSkipped};
  if (!evidence.keys.empty() || needs_signature(provider, policy)) {
    const auto check =
        fetch::check_signature(evidence.checksums, evidence.signature, evidence.keys);
    if (!check) {
      return base::Error{
          fmt::format("the signature of its checksums is not valid: {}", check.error().what)};
    }
    vouched.has_expired_key = check->verdict == Verdict::Expired;
    if (check->verdict == Verdict::OtherIssuer) {
      return base::Error{"its checksums are signed by a key that the registry does not know"};
    }
    if (vouched.has_expired_key && policy.refuses_expired) {
      return base::Error{
          fmt::format("its checksums are signed by the key {}, which has expired", check->key_id)};
    }
    vouched.how = Authenticity::Signed;
    vouched.key_id = check->key_id;
  }
  std::set<std::string> hashes;
  for (const ListedChecksum& each : *listed) hashes.insert("zh:" + each.sha256);
  // Hashes that only the registry names are not signed by anybody.
  if (!needs_signature(provider, policy)) {
    for (const auto& [name, package] : evidence.packages) {
      for (const std::string& hash : package.hashes) {
        if (is_known_hash(hash)) hashes.insert(hash);
      }
    }
  }
  vouched.hashes.assign(hashes.begin(), hashes.end());
  return vouched;
}

}  // namespace tofu::install
