#include "archive/tar_writer.h"

#include <utility>

#include "archive/archive_library.h"

namespace tofu::archive {

namespace {

la_ssize_t append(::archive*, void* to, const void* bytes, std::size_t count) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), count);
  return static_cast<la_ssize_t>(count);
}

struct FreeEntry {
  const ArchiveLibrary* library;
  void operator()(archive_entry* e) const { library->entry_free(e); }
};

}  // namespace

struct TarWriter::Impl {
  const ArchiveLibrary* library = nullptr;
  ::archive* a = nullptr;
  std::string bytes = {};

  explicit Impl(const ArchiveLibrary* from) : library(from), a(from->write_new()) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (a != nullptr) library->write_free(a);
  }

  base::Error problem() const {
    const char* words = a == nullptr ? nullptr : library->error_string(a);
    return {words != nullptr ? words : "the archive cannot be written"};
  }

  base::Result<void> add(const PackedEntry& entry, unsigned type, std::string_view content,
                         const char* link) {
    const std::unique_ptr<archive_entry, FreeEntry> made(library->entry_new(), FreeEntry{library});
    archive_entry* e = made.get();
    if (e == nullptr) return base::Error{"out of memory"};
    library->entry_set_pathname(e, entry.path.c_str());
    library->entry_set_filetype(e, type);
    library->entry_set_perm(e, static_cast<mode_t>(entry.mode));
    library->entry_set_mtime(e, static_cast<time_t>(entry.time), 0);
    library->entry_set_size(e, static_cast<la_int64_t>(content.size()));
    if (link != nullptr) library->entry_set_symlink(e, link);
    if (library->write_header(a, e) != ARCHIVE_OK) return problem();
    const auto size = static_cast<la_ssize_t>(content.size());
    if (size > 0 && library->write_data(a, content.data(), content.size()) != size) {
      return problem();
    }
    return {};
  }
};

TarWriter::TarWriter(std::unique_ptr<Impl> inside) : impl_(std::move(inside)) {}
TarWriter::TarWriter(TarWriter&&) noexcept = default;
TarWriter& TarWriter::operator=(TarWriter&&) noexcept = default;
TarWriter::~TarWriter() = default;

base::Result<TarWriter> TarWriter::create() {
  const auto& loaded = archive_library();
  if (!loaded) return loaded.error();
  auto inside = std::make_unique<Impl>(&*loaded);
  const ArchiveLibrary& library = *inside->library;
  ::archive* a = inside->a;
  const bool good = a != nullptr && library.write_pax(a) == ARCHIVE_OK &&
                    library.write_gzip(a) == ARCHIVE_OK &&
                    library.write_bytes_in_last_block(a, 1) == ARCHIVE_OK &&
                    library.write_open(a, &inside->bytes, nullptr, append, nullptr) == ARCHIVE_OK;
  if (!good) return inside->problem();
  return TarWriter(std::move(inside));
}

base::Result<void> TarWriter::add_file(const PackedEntry& entry, std::string_view content) {
  return impl_->add(entry, AE_IFREG, content, nullptr);
}

base::Result<void> TarWriter::add_directory(const PackedEntry& entry) {
  return impl_->add(entry, AE_IFDIR, {}, nullptr);
}

base::Result<void> TarWriter::add_link(const PackedEntry& entry, const std::string& target) {
  return impl_->add(entry, AE_IFLNK, {}, target.c_str());
}

base::Result<std::string> TarWriter::finish() {
  if (impl_->library->write_close(impl_->a) != ARCHIVE_OK) return impl_->problem();
  return std::move(impl_->bytes);
}

}  // namespace tofu::archive
