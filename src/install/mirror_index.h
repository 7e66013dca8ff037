// The documents by which a directory of packed provider packages is a network mirror.
//
// index.json lists the versions of a provider, VERSION.json the archives of one version
// for each platform, with their hashes: what network_mirror.h reads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace tofu::install {

struct IndexedArchive {
  std::string filename;
  std::vector<std::string> hashes;  // sorted
};
// By version, then by platform.
using MirrorIndex = std::map<std::string, std::map<std::string, IndexedArchive>>;

// Writes the documents into `directory`, that of one provider.
base::Result<void> write_mirror_index(const std::string& directory, const MirrorIndex& index);

}  // namespace tofu::install
