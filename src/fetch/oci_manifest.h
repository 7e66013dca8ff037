// Manifests of OCI registries, fetched and read.
//
// A manifest names its layers by their digests. A document must have the requested digest or the
// digest that the registry claims. Artifacts of OpenTofu have one layer that is a zip archive; an
// index names a manifest for each platform.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fetch/oci_digest.h"
#include "fetch/oci_session.h"
#include "net/web.h"

namespace tofu::fetch {

inline constexpr std::string_view kOciManifestType = "application/vnd.oci.image.manifest.v1+json";
inline constexpr std::string_view kOciIndexType = "application/vnd.oci.image.index.v1+json";

struct OciManifest {
  std::string text;
  OciDigest digest;
};

// `reference` is a tag or a digest; `wanted` is what the manifest has to be, if that is
// known.
base::Result<OciManifest> get_oci_manifest(OciSession& session, const OciRepository& repository,
                                           const std::string& reference,
                                           const std::optional<OciDigest>& wanted,
                                           std::string_view media_type = kOciManifestType);

struct OciLayer {
  OciDigest digest;
  std::uint64_t size = 0;
};

// The one archive that an image manifest of this artifact type names.
base::Result<OciLayer> archive_layer_in(std::string_view manifest, std::string_view artifact_type);

// Why a registry did not answer about something, and what to do.
base::Error oci_refusal(const net::WebReply& reply, const OciRepository& repository,
                        std::string_view reference);

}  // namespace tofu::fetch
