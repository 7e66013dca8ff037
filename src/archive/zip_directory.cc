#include "archive/zip_directory.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "archive/zip_numbers.h"

namespace tofu::archive {

namespace {

constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kLocator64 = 0x07064b50;
constexpr std::size_t kEnd64Size = 56;
constexpr std::size_t kLocator64Size = 20;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // the number is in an extra field
constexpr std::uint16_t kExtra64 = 0x0001;
constexpr std::uint16_t kExtraName = 0x7075;  // a name in Unicode, which some readers prefer
constexpr std::size_t kMaxComment = 0xFFFF;
constexpr std::uint64_t kBytesOfEntry = 256;  // of the directory, on average
constexpr std::uint16_t kSizesFollow = 1 << 3;
constexpr std::uint64_t kMaxDescriptor = 24;  // what follows an entry: a mark, checksum and sizes
constexpr std::uint16_t kFlagsToCompare = 1 | 1 << 11;  // encrypted, a name in UTF-8

base::Error broken(std::string_view why) {
  return {fmt::format("the archive cannot be read: {}", why)};
}

base::Error contradiction(std::string_view name) {
  return {
      fmt::format("the archive contradicts itself: its directory and the header of the entry "
                  "{:?} differ",
                  name)};
}

struct Zip {
  int descriptor;
  std::uint64_t size;

  // Nothing if there are not so many bytes.
  std::optional<std::string> read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size || count > size - offset) return std::nullopt;
    std::string bytes(count, '\0');
    for (std::size_t got = 0; got < bytes.size();) {
      const ssize_t piece = ::pread(descriptor, bytes.data() + got, bytes.size() - got,
                                    static_cast<off_t>(offset + got));
      if (piece < 0 && errno == EINTR) continue;
      if (piece <= 0) return std::nullopt;
      got += static_cast<std::size_t>(piece);
    }
    return bytes;
  }
};

struct Directory {
  std::string bytes;
  std::uint64_t offset = 0;
  std::uint64_t entries = 0;
};

// The entry as a header describes it.
struct EntryHeader {
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // only in the directory
  std::string_view name;
};

// Takes large numbers from the extra fields. False if these are broken, or name the entry anew.
bool read_extra(std::string_view extra, EntryHeader& header) {
  while (extra.size() >= 4) {
    const std::uint16_t id = zip_get2(extra, 0);
    const std::size_t length = zip_get2(extra, 2);
    if (length > extra.size() - 4) return false;
    std::string_view data = extra.substr(4, length);
    extra.remove_prefix(4 + length);
    if (id == kExtraName && (data.size() < 5 || data.substr(5) != header.name)) return false;
    if (id != kExtra64) continue;
    for (std::uint64_t* number : {&header.size, &header.packed, &header.offset}) {
      if (*number != kIn64) continue;
      if (data.size() < 8) return false;
      *number = zip_get8(data, 0);
      data.remove_prefix(8);
    }
  }
  return true;
}

base::Result<Directory> directory_at(const Zip& zip, std::uint64_t end, std::uint64_t offset,
                                     std::uint64_t size, std::uint64_t entries,
                                     std::uint64_t most_entries) {
  if (offset > end || size != end - offset) {
    return broken("its directory is not where its end says");
  }
  if (entries > most_entries || size > most_entries * kBytesOfEntry + (std::uint64_t{1} << 20)) {
    return broken("it has too many entries");
  }
  auto bytes = zip.read(offset, size);
  if (!bytes) return broken("it is cut off");
  return Directory{std::move(*bytes), offset, entries};
}

// The directory of a large file, whose end is described by two more records before the usual one.
base::Result<Directory> find_directory64(const Zip& zip, std::uint64_t end,
                                         std::uint64_t most_entries) {
  if (end < kLocator64Size) return broken("it is cut off");
  const auto locator = zip.read(end - kLocator64Size, kLocator64Size);
  if (!locator || zip_get4(*locator, 0) != kLocator64) return broken("its end is damaged");
  const std::uint64_t at = zip_get8(*locator, 8);
  const auto record = zip.read(at, kEnd64Size);
  if (!record || zip_get4(*record, 0) != kEnd64) return broken("its end is damaged");
  return directory_at(zip, at, zip_get8(*record, 48), zip_get8(*record, 40), zip_get8(*record, 32),
                      most_entries);
}

base::Result<Directory> find_directory(const Zip& zip, std::uint64_t most_entries) {
  const std::uint64_t tail = std::min<std::uint64_t>(zip.size, kZipEndSize + kMaxComment);
  const auto bytes = zip.read(zip.size - tail, tail);
  if (!bytes || bytes->size() < kZipEndSize) return broken("it is not a zip file");
  for (std::size_t at = bytes->size() - kZipEndSize;; --at) {
    const std::string_view record = std::string_view(*bytes).substr(at);
    if (zip_get4(record, 0) == kZipDirectoryEnd &&
        zip_get2(record, 20) == record.size() - kZipEndSize) {
      const std::uint64_t end = zip.size - tail + at;
      const std::uint64_t entries = zip_get2(record, 10);
      const std::uint64_t size = zip_get4(record, 12);
      const std::uint64_t offset = zip_get4(record, 16);
      if (entries == 0xFFFF || size == kIn64 || offset == kIn64) {
        return find_directory64(zip, end, most_entries);
      }
      return directory_at(zip, end, offset, size, entries, most_entries);
    }
    if (at == 0) return broken("it is not a zip file");
  }
}

// Takes the next entry off the directory. Its name is a part of `bytes`.
std::optional<EntryHeader> take_entry(std::string_view& bytes) {
  if (bytes.size() < kZipDirectorySize || zip_get4(bytes, 0) != kZipDirectoryHeader) return {};
  const std::size_t name = zip_get2(bytes, 28);
  const std::size_t extra = zip_get2(bytes, 30);
  const std::size_t whole = kZipDirectorySize + name + extra + zip_get2(bytes, 32);
  if (whole > bytes.size()) return {};
  EntryHeader header{.flags = zip_get2(bytes, 8),
                     .method = zip_get2(bytes, 10),
                     .checksum = zip_get4(bytes, 16),
                     .packed = zip_get4(bytes, 20),
                     .size = zip_get4(bytes, 24),
                     .offset = zip_get4(bytes, 42),
                     .name = bytes.substr(kZipDirectorySize, name)};
  if (!read_extra(bytes.substr(kZipDirectorySize + name, extra), header)) return {};
  bytes.remove_prefix(whole);
  return header;
}

// Whether a number of the header before an entry is that of the directory. Where it follows the
// entry, the header may leave it open.
bool is_same(std::uint64_t local, std::uint64_t in_directory, bool follows) {
  return local == in_directory || (follows && (local == 0 || local == kIn64));
}

// Where the entry ends, if its header says what the directory does.
base::Result<std::uint64_t> check_entry(const Zip& zip, const EntryHeader& entry) {
  const auto header = zip.read(entry.offset, kZipLocalSize);
  if (!header || zip_get4(*header, 0) != kZipLocalHeader) return contradiction(entry.name);
  const std::size_t name = zip_get2(*header, 26);
  const std::size_t extra = zip_get2(*header, 28);
  const auto rest = zip.read(entry.offset + kZipLocalSize, name + extra);
  if (!rest) return contradiction(entry.name);
  EntryHeader local{.flags = zip_get2(*header, 6),
                    .method = zip_get2(*header, 8),
                    .checksum = zip_get4(*header, 14),
                    .packed = zip_get4(*header, 18),
                    .size = zip_get4(*header, 22),
                    .name = std::string_view(*rest).substr(0, name)};
  const bool follows = (local.flags & kSizesFollow) != 0;
  const bool fits =
      read_extra(std::string_view(*rest).substr(name), local) && local.name == entry.name &&
      local.method == entry.method && ((local.flags ^ entry.flags) & kFlagsToCompare) == 0 &&
      is_same(local.checksum, entry.checksum, follows) &&
      is_same(local.packed, entry.packed, follows) && is_same(local.size, entry.size, follows);
  if (!fits) return contradiction(entry.name);
  const std::uint64_t content = entry.offset + kZipLocalSize + name + extra;
  if (entry.packed > zip.size - content) return contradiction(entry.name);
  return content + entry.packed;
}

}  // namespace

base::Result<void> check_zip_directory(int descriptor, std::uint64_t size,
                                       std::uint64_t most_entries) {
  const Zip zip{descriptor, size};
  const auto directory = find_directory(zip, most_entries);
  if (!directory) return directory.error();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;  // from and to
  std::string_view rest = directory->bytes;
  while (!rest.empty()) {
    if (places.size() == most_entries) return broken("it has too many entries");
    const auto entry = take_entry(rest);
    if (!entry) return broken("its directory is damaged");
    if (entry->name.find('\0') != std::string_view::npos) {
      return broken("the name of an entry has a zero byte");
    }
    const auto end = check_entry(zip, *entry);
    if (!end) return end.error();
    places.emplace_back(entry->offset, *end);
  }
  // Some writers have no more than two bytes for the number.
  if ((places.size() & 0xFFFF) != (directory->entries & 0xFFFF)) {
    return broken("its directory has another number of entries than its end says");
  }
  std::ranges::sort(places);
  if (!places.empty() && places.front().first != 0) return broken("its beginning is no entry");
  std::uint64_t free = 0;  // from where on no entry has been
  // Programs that read from the beginning would find what the directory does not have.
  const auto has_hidden = [&](std::uint64_t next) { return next - free > kMaxDescriptor; };
  for (const auto& [from, to] : places) {
    if (from < free) return broken("two of its entries share bytes");
    if (has_hidden(from)) return broken("its directory leaves out bytes between entries");
    free = to;
  }
  if (free > directory->offset) return broken("an entry reaches into its directory");
  if (has_hidden(directory->offset)) return broken("its directory leaves out bytes before it");
  return {};
}

}  // namespace tofu::archive
