#include "archive/archive.h"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "archive/archive_reader.h"
#include "archive/archive_writer.h"
#include "archive/package_links.h"
#include "archive/tree_copy.h"

namespace tofu::archive {

namespace {

constexpr std::array<std::pair<std::string_view, ArchiveKind>, 9> kWords{{
    {"zip", ArchiveKind::Zip},
    {"tar", ArchiveKind::Tar},
    {"tar.gz", ArchiveKind::TarGzip},
    {"tgz", ArchiveKind::TarGzip},
    {"tar.bz2", ArchiveKind::TarBzip2},
    {"tbz2", ArchiveKind::TarBzip2},
    {"tar.tbz2", ArchiveKind::TarBzip2},
    {"tar.xz", ArchiveKind::TarXz},
    {"txz", ArchiveKind::TarXz},
}};

base::Result<void> unpack_all(ArchiveReader& reader, ArchiveWriter& writer,
                              const FetchLimits& limits, const std::stop_token& stop) {
  // Entries may repeat each other, so they are counted besides the files they make.
  std::uint64_t count = 0;
  while (true) {
    ArchivedEntry entry;
    const auto more = reader.next(entry);
    if (!more) return more.error();
    if (!*more) break;
    if (stop.stop_requested()) return base::Error{"interrupted"};
    if (++count > limits.files) {
      return base::Error{fmt::format("the archive has more than {} entries", limits.files)};
    }
    if (auto added = writer.add(entry, reader); !added) return added;
  }
  if (writer.is_empty()) return base::Error{"the archive is empty"};
  return {};
}

}  // namespace

std::optional<ArchiveKind> archive_kind_of_word(std::string_view word) {
  for (const auto& [name, kind] : kWords) {
    if (name == word) return kind;
  }
  return std::nullopt;
}

std::optional<ArchiveKind> archive_kind_of_file(std::string_view path) {
  std::size_t longest = 0;
  std::optional<ArchiveKind> found;
  for (const auto& [name, kind] : kWords) {
    const bool fits = path.size() > name.size() && path.ends_with(name) &&
                      path[path.size() - name.size() - 1] == '.';
    if (!fits || name.size() <= longest) continue;
    longest = name.size();
    found = kind;
  }
  return found;
}

base::Result<void> unpack_archive(const std::string& archive, ArchiveKind kind,
                                  const std::string& into, const FetchLimits& limits,
                                  const std::stop_token& stop) {
  ArchiveReader reader(limits, stop);
  if (auto opened = reader.open(archive, kind); !opened) return opened;
  ArchiveWriter writer(limits, reader.packed_bytes());
  if (auto made = writer.make_top(into); !made) return made;
  auto unpacked = unpack_all(reader, writer, limits, stop);
  // Where a link leads is known when all that it may go through is there.
  if (unpacked && writer.has_links()) unpacked = check_package(into, limits, stop);
  if (!unpacked) (void)remove_tree(into);
  return unpacked;
}

}  // namespace tofu::archive
