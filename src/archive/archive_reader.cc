#include "archive/archive_reader.h"

#include <array>
#include <cerrno>
#include <clocale>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive_library.h"
#include "archive/tree_walk.h"
#include "archive/zip_directory.h"
#include "base/unicode.h"

namespace tofu::archive {

namespace {

// Headers of one entry: names, extended attributes, maps of sparse files. Each byte
// of a map costs a dozen in memory, so this is far below what could hurt.
constexpr std::uint64_t kHeaderBytes = std::uint64_t{1} << 20;
// The allowed average size of an entry in a zip's directory, with its name.
constexpr std::uint64_t kBytesInDirectory = 100;
// A tar entry has at least a header and its padding.
constexpr std::uint64_t kBytesAroundEntry = 2048;

// An archive that is freed at the end.
using Archive = std::unique_ptr<::archive, decltype(ArchiveLibrary::read_free)>;

// Names in archives are bytes or UTF-8, and libarchive wants to express them in the
// character set of the thread; with any other it loses those that are not ASCII.
class Utf8Locale {
 public:
  Utf8Locale() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {}
  ~Utf8Locale() {
    if (locale_ != nullptr) ::freelocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

  // As long as this lives, in this thread.
  class Use {
   public:
    explicit Use(const Utf8Locale& utf8) {
      if (utf8.locale_ != nullptr) before_ = ::uselocale(utf8.locale_);
    }
    ~Use() {
      if (before_ != nullptr) ::uselocale(before_);
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    locale_t before_ = nullptr;
  };

 private:
  locale_t locale_;
};

}  // namespace

struct ArchiveReader::Impl {
  Impl(const FetchLimits& with_limits, const std::stop_token& with_stop)
      : limits(with_limits), stop(with_stop) {}

  const FetchLimits& limits;
  std::stop_token stop;
  const ArchiveLibrary* library = nullptr;  // there when an archive is open
  Utf8Locale utf8 = {};
  OpenFile file = {};
  std::uint64_t packed = 0;
  std::uint64_t read = 0;          // bytes of the tar, or of the zip file
  std::uint64_t read_limit = 0;    // for all of it
  std::uint64_t header_limit = 0;  // until which headers may reach
  bool in_header = false;
  const char* problem = nullptr;  // why reading was stopped by us
  std::array<char, 65536> buffer = {};
  Archive compressed = {nullptr, nullptr};  // gives the bytes of a tar
  Archive entries = {nullptr, nullptr};

  base::Error error() const {
    if (problem != nullptr) return {problem};
    const char* what = library->error_string(entries.get());
    return {fmt::format("the archive cannot be read: {}",
                        base::to_valid_utf8(what == nullptr ? "it is broken" : what))};
  }

  // Counts what is read, and says no when it is too much.
  bool allow(std::uint64_t bytes) {
    read += bytes;
    if (stop.stop_requested()) {
      problem = "interrupted";
    } else if (read > read_limit) {
      problem = "the archive holds far more than its size suggests, or than may be unpacked";
    } else if (in_header && read > header_limit) {
      problem = "the archive has an entry with too long headers, or too many entries";
    }
    return problem == nullptr;
  }

  void begin_header(std::uint64_t allowed) {
    in_header = true;
    header_limit = read + allowed;
  }

  static la_ssize_t read_tar(::archive* reader, void* data, const void** bytes) {
    auto& self = *static_cast<Impl*>(data);
    const la_ssize_t count =
        self.library->read_data(self.compressed.get(), self.buffer.data(), self.buffer.size());
    if (count < 0) {
      const char* what = self.library->error_string(self.compressed.get());
      self.library->set_error(reader, EINVAL, "%s", what == nullptr ? "it is broken" : what);
      return -1;
    }
    *bytes = self.buffer.data();
    return self.allow(static_cast<std::uint64_t>(count)) ? count : -1;
  }

  static la_ssize_t read_zip(::archive* reader, void* data, const void** bytes) {
    auto& self = *static_cast<Impl*>(data);
    ssize_t count = -1;
    do {
      count = ::read(self.file.number(), self.buffer.data(), self.buffer.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
      self.library->set_error(reader, errno, "%s", std::strerror(errno));
      return -1;
    }
    *bytes = self.buffer.data();
    return self.allow(static_cast<std::uint64_t>(count)) ? count : -1;
  }

  static la_int64_t seek_zip(::archive*, void* data, la_int64_t offset, int whence) {
    const off_t at = ::lseek(static_cast<Impl*>(data)->file.number(), offset, whence);
    return at < 0 ? ARCHIVE_FATAL : at;
  }

  base::Result<void> open_tar(ArchiveKind kind);
  base::Result<void> open_zip();
};

// The bytes go through two readers: one takes off the compression, and the other
// sees a plain tar. Between them is where a bomb can be noticed, since libarchive
// reads headers of any length in one go.
base::Result<void> ArchiveReader::Impl::open_tar(ArchiveKind kind) {
  compressed = Archive(library->read_new(), library->read_free);
  entries = Archive(library->read_new(), library->read_free);
  if (!compressed || !entries) return base::Error{"out of memory"};
  switch (kind) {
    case ArchiveKind::Zip: base::broken_promise("a zip is not read as a tar");
    case ArchiveKind::Tar: break;
    case ArchiveKind::TarGzip: library->support_gzip(compressed.get()); break;
    case ArchiveKind::TarBzip2: library->support_bzip2(compressed.get()); break;
    case ArchiveKind::TarXz: library->support_xz(compressed.get()); break;
  }
  library->support_raw(compressed.get());
  library->support_tar(entries.get());
  read_limit = limits.unpacked_bytes + kBytesAroundEntry * limits.files;
  archive_entry* all = nullptr;
  if (library->open_fd(compressed.get(), file.number(), buffer.size()) != ARCHIVE_OK ||
      library->next_header(compressed.get(), &all) != ARCHIVE_OK) {
    const char* what = library->error_string(compressed.get());
    return base::Error{
        fmt::format("the archive cannot be read: {}", what == nullptr ? "it is broken" : what)};
  }
  // Compression was asked for by name, so a file without it is not what was meant.
  const bool filtered = library->filter_count(compressed.get()) > 1;
  if (filtered != (kind != ArchiveKind::Tar)) {
    return base::Error{"the archive cannot be read: it is not compressed as its name says"};
  }
  begin_header(kHeaderBytes);
  if (library->open2(entries.get(), this, nullptr, &read_tar, nullptr, nullptr) != ARCHIVE_OK) {
    return error();
  }
  return {};
}

base::Result<void> ArchiveReader::Impl::open_zip() {
  auto checked = check_zip_directory(file.number(), packed, limits.files);
  if (!checked) return checked;
  entries = Archive(library->read_new(), library->read_free);
  if (!entries) return base::Error{"out of memory"};
  library->support_zip(entries.get());
  library->set_read_callback(entries.get(), &read_zip);
  library->set_seek_callback(entries.get(), &seek_zip);
  library->set_callback_data(entries.get(), this);
  // Each entry may make us read a block twice.
  read_limit = 4 * packed + (2 * limits.files + 16) * buffer.size();
  begin_header(kHeaderBytes + kBytesInDirectory * limits.files);
  if (library->open1(entries.get()) != ARCHIVE_OK) return error();
  return {};
}

ArchiveReader::ArchiveReader(const FetchLimits& limits, const std::stop_token& stop)
    : impl_(std::make_unique<Impl>(limits, stop)) {}
ArchiveReader::~ArchiveReader() = default;

std::uint64_t ArchiveReader::packed_bytes() const { return impl_->packed; }

base::Result<void> ArchiveReader::open(const std::string& path, ArchiveKind kind) {
  const auto& library = archive_library();
  if (!library) return library.error();
  impl_->library = &*library;
  impl_->file = OpenFile(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about = {};
  if (!impl_->file || ::fstat(impl_->file.number(), &about) != 0) {
    return base::Error{fmt::format("the archive cannot be read: {}", std::strerror(errno))};
  }
  impl_->packed = static_cast<std::uint64_t>(about.st_size);
  const Utf8Locale::Use use(impl_->utf8);
  return kind == ArchiveKind::Zip ? impl_->open_zip() : impl_->open_tar(kind);
}

base::Result<bool> ArchiveReader::next(ArchivedEntry& entry) {
  const ArchiveLibrary& archive = *impl_->library;
  const Utf8Locale::Use use(impl_->utf8);
  if (impl_->read > 0 && !impl_->in_header) impl_->begin_header(kHeaderBytes);
  archive_entry* found = nullptr;
  const int status = archive.next_header(impl_->entries.get(), &found);
  impl_->in_header = false;
  if (impl_->problem != nullptr) return impl_->error();
  if (status == ARCHIVE_EOF) return false;
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return impl_->error();
  const char* name = archive.entry_pathname(found);
  const char* hard_link = archive.entry_hardlink(found);
  const char* link = archive.entry_symlink(found);
  if (name == nullptr) return base::Error{"the archive has an entry without a name"};
  entry.name = name;
  entry.target = hard_link != nullptr ? hard_link : link != nullptr ? link : "";
  const la_int64_t size = archive.entry_size_is_set(found) != 0 ? archive.entry_size(found) : 0;
  if (size < 0) return base::Error{"the archive has an entry of negative size"};
  entry.size = static_cast<std::uint64_t>(size);
  entry.executable = (archive.entry_perm(found) & 0111) != 0;
  const auto type = archive.entry_filetype(found);
  entry.kind = hard_link != nullptr ? ArchivedKind::HardLink
               : type == AE_IFREG   ? ArchivedKind::File
               : type == AE_IFDIR   ? ArchivedKind::Directory
               : type == AE_IFLNK   ? ArchivedKind::Link
                                    : ArchivedKind::Other;
  return true;
}

base::Result<void> ArchiveReader::read(const Write& write) {
  const ArchiveLibrary& archive = *impl_->library;
  while (true) {
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive.read_data_block(impl_->entries.get(), &bytes, &size, &offset);
    if (impl_->problem != nullptr) return impl_->error();
    if (status == ARCHIVE_EOF) return {};
    if (status != ARCHIVE_OK || offset < 0) return impl_->error();
    auto written = write(static_cast<std::uint64_t>(offset),
                         std::string_view(static_cast<const char*>(bytes), size));
    if (!written) return written;
  }
}

}  // namespace tofu::archive
