#include "fetch/oci_fetch.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "archive/archive.h"
#include "archive/temporary_file.h"
#include "archive/tree_hash.h"
#include "base/ascii.h"
#include "fetch/oci_digest.h"
#include "fetch/oci_manifest.h"
#include "fetch/oci_session.h"
#include "fetch/source_query.h"

namespace tofu::fetch {

namespace {

constexpr std::size_t kMaxTagLength = 128;

struct OciAddress {
  OciRepository repository;
  std::string reference;                 // a tag or a digest, as it stands in the request
  std::optional<OciDigest> digest = {};  // if that is what it is
};

bool is_tag(std::string_view text) {
  const auto word = [](char c) { return base::is_ascii_alphanumeric(c) || c == '_'; };
  return !text.empty() && text.size() <= kMaxTagLength && word(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return word(c) || c == '.' || c == '-'; });
}

base::Result<void> use_arguments(const base::Url& url, OciAddress& address) {
  std::string tag;
  const base::UrlArguments arguments = base::parse_url_query(url.query);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& [name, text] = arguments[i];
    const bool again =
        std::any_of(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(i),
                    [&, &key = name](const auto& earlier) { return earlier.first == key; });
    if (again) return base::Error{fmt::format("the argument {:?} is given twice", name)};
    if (name == "tag") {
      if (!is_tag(text)) return base::Error{fmt::format("{:?} is not a tag", text)};
      tag = text;
    } else if (name == "digest") {
      auto digest = OciDigest::parse(text);
      if (!digest) return std::move(digest).error();
      address.digest = std::move(*digest);
    } else if (name == "archive") {
      return base::Error{
          "an OCI source has no \"archive\" argument: its manifest names the format"};
    } else {
      return base::Error{fmt::format("an OCI source has no argument {:?}", name)};
    }
  }
  if (!tag.empty() && address.digest) {
    return base::Error{"a tag and a digest cannot both be given"};
  }
  address.reference = address.digest ? address.digest->to_string() : tag.empty() ? "latest" : tag;
  return {};
}

base::Result<OciAddress> parse_address(const FetchRequest& request, std::string_view scheme) {
  auto url = parse_package_url(request.address);
  if (!url) return std::move(url).error();
  if (url->scheme != "oci") return base::Error{"an OCI source begins with oci://"};
  if (!url->userinfo.empty()) {
    return base::Error{
        "logins for OCI registries are set in the CLI configuration, not in the address"};
  }
  std::string name = url->decoded_path();
  if (name.starts_with('/')) name.erase(0, 1);
  OciAddress address{{std::string(scheme), url->authority(), std::move(name)}, {}};
  const auto right = net::check_oci_place(
      fmt::format("{}/{}", address.repository.registry, address.repository.name));
  if (!right) return right.error();
  const auto used = use_arguments(*url, address);
  if (!used) return used.error();
  if (request.revision.empty()) return address;
  auto locked = OciDigest::parse(request.revision);
  if (!locked) return std::move(locked).error();
  address.reference = locked->to_string();
  address.digest = std::move(*locked);
  return address;
}

base::Result<void> get_layer(OciSession& session, const OciAddress& address, const OciLayer& layer,
                             const std::string& file) {
  const auto reply = session.get("blobs/" + layer.digest.to_string(), {}, layer.size, &file);
  if (!reply) return reply.error();
  if (reply->status != 200) return oci_refusal(*reply, address.repository, address.reference);
  const auto digest = OciDigest::of_file(layer.digest.kind, file);
  if (!digest) return digest.error();
  // The same digest with another size is practically impossible, so one check is enough.
  if (*digest != layer.digest) {
    return base::Error{"the registry's archive does not have the digest that its manifest names"};
  }
  return {};
}

}  // namespace

base::Result<FetchedPackage> fetch_oci(const Fetching& fetching, const FetchRequest& request,
                                       std::string_view scheme) {
  const auto address = parse_address(request, scheme);
  if (!address) return address.error();
  OciSession session(fetching, address->repository);
  const auto manifest =
      get_oci_manifest(session, address->repository, address->reference, address->digest);
  if (!manifest) return manifest.error();
  const auto layer = archive_layer_in(manifest->text, request.oci_artifact_type);
  if (!layer) {
    return base::Error{fmt::format("{}/{} ({}) cannot be used: {}", address->repository.registry,
                                   address->repository.name, address->reference,
                                   layer.error().what)};
  }
  if (layer->size > fetching.limits.download_bytes) {
    return base::Error{
        fmt::format("the package is larger than {} bytes", fetching.limits.download_bytes)};
  }
  const archive::TemporaryFile archive(request.into + ".download");
  const auto got = get_layer(session, *address, *layer, archive.path());
  if (!got) return got.error();
  auto hash = archive::hash_archive(archive.path());
  if (!hash) return std::move(hash).error();
  const auto unpacked = archive::unpack_archive(archive.path(), archive::ArchiveKind::Zip,
                                                request.into, fetching.limits, fetching.stop);
  if (!unpacked) return unpacked.error();
  return FetchedPackage{.revision = manifest->digest.to_string(), .archive_hash = std::move(*hash)};
}

}  // namespace tofu::fetch
