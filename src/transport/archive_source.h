// Sources that are archives: what their addresses say about them.
//
// The arguments `archive` (which kind, or that it is none) and `checksum` belong to
// us and not to the server. They mean the same wherever the archive comes from.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "transport/archive.h"
#include "transport/fetching.h"
#include "transport/source_query.h"

namespace tofu::transport {

struct ArchiveSource {
  std::optional<ArchiveKind> kind = {};  // absent: a directory is meant
  std::string checksum = {};             // as written; empty if there is none
};

// Takes both arguments out of `url`. An error for a kind that is not known.
base::Result<ArchiveSource> take_archive_source(base::Url& url);

// Checks the archive that arrived as `file` and unpacks it. `url` is where it came
// from, since lists of checksums go by its name. The file is left to the caller.
base::Result<FetchedPackage> unpack_fetched(const Fetching& fetching, const FetchRequest& request,
                                            const ArchiveSource& source, const base::Url& url,
                                            const std::string& file);

}  // namespace tofu::transport
