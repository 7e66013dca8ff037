// Archive sources: arguments of their addresses.
//
// The arguments `archive` (which kind, or that it is none) and `checksum` belong to us and not to
// the server. They mean the same for every kind of source.
#pragma once

#include <optional>
#include <string>

#include "archive/archive.h"
#include "base/result.h"
#include "fetch/fetching.h"
#include "fetch/source_query.h"

namespace tofu::fetch {

struct ArchiveSource {
  std::optional<archive::ArchiveKind> kind = {};  // absent: a directory is meant
  std::string checksum = {};                      // as written; empty if there is none
};

// Takes both arguments out of `url`. An error for a kind that is not known.
base::Result<ArchiveSource> take_archive_source(base::Url& url);

// Checks the archive that arrived as `file` and unpacks it. `url` is where it came
// from, since lists of checksums go by its name. The file is left to the caller.
base::Result<FetchedPackage> unpack_fetched(const Fetching& fetching, const FetchRequest& request,
                                            const ArchiveSource& source, const base::Url& url,
                                            const std::string& file);

}  // namespace tofu::fetch
