// Packages that a module registry serves itself.
//
// The address is that of an archive, but its name does not show the format: that follows from the
// first bytes. The registry's token is sent if the registry requested that, and never to where the
// address redirects.
#pragma once

#include <optional>
#include <string>

#include "archive/archive.h"
#include "base/result.h"
#include "fetch/fetching.h"

namespace tofu::fetch {

// Makes `request.into`, for a request that is `direct`.
base::Result<FetchedPackage> fetch_direct(const Fetching& fetching, const FetchRequest& request);

// The kind of the archive in a file; nothing if it is none that is known. A tar has
// to be compressed, because a plain one has no bytes at its start to know it by.
base::Result<std::optional<archive::ArchiveKind>> archive_kind_of_bytes(const std::string& file);

}  // namespace tofu::fetch
