// A zip file of a few named parts in memory, such as a saved plan.
//
// Names are ours: short, of ASCII, each once. Input and its sizes are not trusted. Parts and files
// of 4 GiB and more are refused.
//
// With zlib, which is part of the program: loading libarchive and the dozen libraries that it
// needs takes longer than planning a hundred resources.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::archive {

using ZipParts = std::map<std::string, std::string, std::less<>>;

// Packs large parts as they are made: what is in memory is the file.
class ZipWriter {
 public:
  ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter();

  // Begins the next part, and ends the one before.
  void part(std::string_view name);
  void append(std::string_view piece);  // to the part that was begun last
  std::uint64_t size() const;           // of all parts, as they were before they were packed

  // The file. Nothing may follow.
  base::Result<std::string> finish();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

base::Result<std::string> write_zip(const ZipParts& parts);

// Nothing about `bytes` is trusted. More parts than `most_parts`, and more than
// `most_bytes` in them, are an error.
base::Result<ZipParts> read_zip(std::string_view bytes, std::size_t most_parts,
                                std::uint64_t most_bytes);

}  // namespace tofu::archive
