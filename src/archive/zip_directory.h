// The directory of a zip file, compared with the headers of its entries.
//
// A zip says everything twice: in the directory at its end, by which Go reads it, and in a header
// before each entry, by which others do. Where the two differ, two readers unpack two different
// packages from one file with one checksum, so such a file is refused, as are entries that share
// bytes. Nothing is unpacked here.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace tofu::archive {

// `descriptor` is a file of `size` bytes; its position stays as it is. `most_entries` limits what
// the directory may hold.
base::Result<void> check_zip_directory(int descriptor, std::uint64_t size,
                                       std::uint64_t most_entries);

}  // namespace tofu::archive
