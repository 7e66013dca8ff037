// Fetching packages from OCI registries: oci://REGISTRY/REPOSITORY?tag=v1
//
// A package is an image manifest of the type for module packages with one zip archive
// as its layer. Manifest and archive are checked against their digests and sizes.
#pragma once

#include <string_view>

#include "base/result.h"
#include "fetch/fetching.h"

namespace tofu::fetch {

// Makes `request.into`. The revision of the package is the digest of its manifest, and
// a digest as `request.revision` wins over the tag. `scheme` is http for tests only.
base::Result<FetchedPackage> fetch_oci(const Fetching& fetching, const FetchRequest& request,
                                       std::string_view scheme = "https");

}  // namespace tofu::fetch
