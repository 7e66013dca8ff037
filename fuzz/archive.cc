// Bytes as an archive of every kind: whatever they are, nothing is written outside
// the target, a refused archive leaves nothing, and links of one that is accepted
// stay inside.
#include "archive/archive.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/check.h"
#include "base/file.h"

namespace {

namespace fs = std::filesystem;

// Made once and used again: the directory is empty between inputs.
const fs::path& scratch() {
  static const fs::path path = [] {
    std::string pattern = fs::temp_directory_path() / "fuzz_archive_XXXXXX";
    return fs::path(mkdtemp(pattern.data()));
  }();
  return path;
}

void check_inside(const fs::path& top) {
  for (const auto& entry : fs::recursive_directory_iterator(top)) {
    TOFU_CHECK(entry.is_symlink() || entry.is_regular_file() || entry.is_directory(),
               "only files, directories and links are unpacked");
    std::error_code nowhere;
    const fs::path real = fs::canonical(entry.path(), nowhere);
    if (nowhere) continue;
    const fs::path relative = real.lexically_relative(top);
    TOFU_CHECK(!relative.empty() && *relative.begin() != "..", "everything stays inside");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tofu::archive::ArchiveKind;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const fs::path archive = scratch() / "archive";
  const fs::path into = scratch() / "in" / "out";
  tofu::archive::FetchLimits limits;
  limits.files = 100;
  limits.unpacked_bytes = 1 << 20;
  std::stop_source stop;

  fs::create_directories(scratch() / "in");
  const auto written = tofu::base::write_file(archive, bytes, 0644, tofu::base::Sync::No);
  TOFU_CHECK(written.ok(), "the scratch directory can be written");
  for (const ArchiveKind kind : {ArchiveKind::Zip, ArchiveKind::Tar, ArchiveKind::TarGzip,
                                 ArchiveKind::TarBzip2, ArchiveKind::TarXz}) {
    const auto unpacked =
        tofu::archive::unpack_archive(archive, kind, into, limits, stop.get_token());
    TOFU_CHECK(unpacked.ok() == fs::exists(fs::symlink_status(into)),
               "the target is there exactly if the archive was accepted");
    if (unpacked) check_inside(fs::canonical(into));
    fs::remove_all(into);
    TOFU_CHECK(fs::is_empty(scratch() / "in"), "nothing is written beside the target");
  }
  return 0;
}
