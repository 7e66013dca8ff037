// Unpacking archives that are not trusted.
//
// An archive is unpacked as a whole or not at all: an entry that could do harm is
// an error that names it, and nothing stays behind. Nothing is ever written through
// a link, and links that stay are those that lead to places inside. Of permissions
// only "executable" is kept; owners, times and devices never are.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "archive/limits.h"
#include "base/result.h"

namespace tofu::archive {

enum class ArchiveKind : std::uint8_t { Zip, Tar, TarGzip, TarBzip2, TarXz };

// By the end of a file's name ("m.tar.gz"), or by the whole of a word such as
// "tgz", as the `archive` argument of a source has it.
std::optional<ArchiveKind> archive_kind_of_file(std::string_view path);
std::optional<ArchiveKind> archive_kind_of_word(std::string_view word);

// Unpacks the file `archive` into `into`, a directory that does not exist yet but
// whose parent does. On failure it does not exist either.
base::Result<void> unpack_archive(const std::string& archive, ArchiveKind kind,
                                  const std::string& into, const FetchLimits& limits,
                                  const std::stop_token& stop);

}  // namespace tofu::archive
