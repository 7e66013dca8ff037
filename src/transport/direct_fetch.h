// Packages that a module registry serves itself.
//
// The address is that of an archive, but its name tells nothing: the kind shows in the
// first bytes. The registry's token goes along if the registry asked for that, and
// never to where the address redirects.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "transport/archive.h"
#include "transport/fetching.h"

namespace tofu::transport {

// Makes `request.into`, for a request that is `direct`.
base::Result<FetchedPackage> fetch_direct(const Fetching& fetching, const FetchRequest& request);

// The kind of the archive in a file; nothing if it is none that is known. A tar has
// to be compressed, because a plain one has no bytes at its start to know it by.
base::Result<std::optional<ArchiveKind>> archive_kind_of_bytes(const std::string& file);

}  // namespace tofu::transport
