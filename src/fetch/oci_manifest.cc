#include "fetch/oci_manifest.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "net/json_fields.h"

namespace tofu::fetch {

namespace {

using value::Kind;
using value::Value;

constexpr std::string_view kLayerType = "archive/zip";
constexpr std::uint64_t kMaxManifestSize = 4 << 20;  // what registries have to accept

base::Result<OciLayer> layer_of(const Value& entry) {
  auto digest = OciDigest::parse(net::text_at(entry, "digest"));
  if (!digest) return std::move(digest).error();
  const Value* size = entry.unmarked().find("size");
  const auto bytes = size != nullptr && size->kind() == Kind::Number
                         ? size->unmarked().as_number().to_int64()
                         : std::optional<std::int64_t>();
  if (!bytes || *bytes < 0) return base::Error{"its layer has no size"};
  return OciLayer{std::move(*digest), static_cast<std::uint64_t>(*bytes)};
}

}  // namespace

base::Result<OciLayer> archive_layer_in(std::string_view manifest, std::string_view artifact_type) {
  const auto document = value::parse_json(manifest);
  if (!document || document->kind() != Kind::Object) {
    return base::Error{"its manifest is not a JSON object"};
  }
  const std::string type = net::text_at(*document, "mediaType");
  if (type != kOciManifestType) {
    return base::Error{fmt::format("it is not an image manifest but {:?}", type.substr(0, 100))};
  }
  const std::string artifact = net::text_at(*document, "artifactType");
  if (artifact != artifact_type) {
    return base::Error{fmt::format("its artifact type is {:?} instead of {:?}",
                                   artifact.substr(0, 100), artifact_type)};
  }
  std::vector<const Value*> archives;
  const Value* layers = document->unmarked().find("layers");
  if (layers != nullptr && layers->kind() == Kind::Tuple) {
    for (const Value& layer : layers->unmarked().items()) {
      if (net::text_at(layer, "mediaType") == kLayerType) archives.push_back(&layer);
    }
  }
  if (archives.size() != 1) {
    return base::Error{fmt::format("it has {} layers of type {}, where one is needed",
                                   archives.size(), kLayerType)};
  }
  return layer_of(*archives.front());
}

base::Error oci_refusal(const net::WebReply& reply, const OciRepository& repository,
                        std::string_view reference) {
  const std::string what =
      fmt::format("{}/{} ({})", repository.registry, repository.name, reference);
  if (reply.status == 404) return {fmt::format("{} was not found in the registry", what)};
  if (reply.status == 401 || reply.status == 403) {
    return {
        fmt::format("the registry refuses access to {} with status {}; an oci_credentials "
                    "block of the CLI configuration gives a login",
                    what, reply.status)};
  }
  return {fmt::format("the registry responded with status {} about {}", reply.status, what)};
}

base::Result<OciManifest> get_oci_manifest(OciSession& session, const OciRepository& repository,
                                           const std::string& reference,
                                           const std::optional<OciDigest>& wanted,
                                           std::string_view media_type) {
  auto reply = session.get("manifests/" + reference, {{"Accept", std::string(media_type)}},
                           kMaxManifestSize);
  if (!reply) return std::move(reply).error();
  if (reply->status != 200) return oci_refusal(*reply, repository, reference);
  const DigestKind kind = wanted ? wanted->kind : DigestKind::Sha256;
  OciDigest digest = OciDigest::of_text(kind, reply->body);
  const auto said = OciDigest::parse(reply->header("Docker-Content-Digest"));
  const bool other = (wanted && digest != *wanted) ||
                     (said && OciDigest::of_text(said->kind, reply->body) != *said);
  if (other) return base::Error{"the registry's manifest does not have the digest it should"};
  return OciManifest{std::move(reply->body), std::move(digest)};
}

}  // namespace tofu::fetch
