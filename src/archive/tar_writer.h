// A tar archive with gzip, written in memory.
//
// Entries are in the order in which they are added; owners are not kept. Paths are
// relative, and the caller's own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::archive {

struct PackedEntry {
  std::string path;
  unsigned mode = 0644;
  std::int64_t time = 0;  // of the last change, in seconds since 1970
};

class TarWriter {
 public:
  static base::Result<TarWriter> create();
  TarWriter(TarWriter&&) noexcept;
  TarWriter& operator=(TarWriter&&) noexcept;
  ~TarWriter();

  base::Result<void> add_file(const PackedEntry& entry, std::string_view content);
  base::Result<void> add_directory(const PackedEntry& entry);
  base::Result<void> add_link(const PackedEntry& entry, const std::string& target);

  // The whole archive. Nothing is added any more.
  base::Result<std::string> finish();

 private:
  struct Impl;
  explicit TarWriter(std::unique_ptr<Impl> inside);

  std::unique_ptr<Impl> impl_;
};

}  // namespace tofu::archive
