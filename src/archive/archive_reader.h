// Reading archives entry by entry, through libarchive.
//
// Knows formats, not files: archive_writer.h decides where an entry is written and whether it is
// allowed there. Compressed bytes, headers and directories of an archive are limited here, before
// they can fill the memory. Private to archive.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "archive/archive.h"
#include "base/result.h"

namespace tofu::archive {

enum class ArchivedKind : std::uint8_t { File, Directory, Link, HardLink, Other };

struct ArchivedEntry {
  std::string name;  // as written in the archive
  ArchivedKind kind = ArchivedKind::File;
  std::string target;      // of links
  std::uint64_t size = 0;  // as the archive claims
  bool executable = false;
};

class ArchiveReader {
 public:
  ArchiveReader(const FetchLimits& limits, const std::stop_token& stop);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  base::Result<void> open(const std::string& path, ArchiveKind kind);
  // Bytes of the archive itself.
  std::uint64_t packed_bytes() const;
  // The next entry; false at the end.
  base::Result<bool> next(ArchivedEntry& entry);
  // The bytes of the entry, each piece with its place. Places that are left out of
  // a file are zeros.
  using Write = std::function<base::Result<void>(std::uint64_t offset, std::string_view bytes)>;
  base::Result<void> read(const Write& write);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tofu::archive
