#include "transport/zip_parts.h"

#include <memory>
#include <utility>

#include "transport/archive_library.h"

namespace tofu::transport {

namespace {

struct FreeWriter {
  const ArchiveLibrary* library;
  void operator()(archive* a) const { library->write_free(a); }
};
struct FreeReader {
  const ArchiveLibrary* library;
  void operator()(archive* a) const { library->read_free(a); }
};
struct FreeEntry {
  const ArchiveLibrary* library;
  void operator()(archive_entry* e) const { library->entry_free(e); }
};

la_ssize_t append(archive*, void* to, const void* bytes, std::size_t count) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), count);
  return static_cast<la_ssize_t>(count);
}

base::Error problem_of(const ArchiveLibrary* library, archive* a) {
  const char* words = library->error_string(a);
  return {words != nullptr ? words : "it is not a zip file that can be read"};
}

}  // namespace

base::Result<std::string> write_zip(const ZipParts& parts) {
  const auto& loaded = archive_library();
  if (!loaded) return loaded.error();
  const ArchiveLibrary* library = &*loaded;
  std::string bytes;
  const std::unique_ptr<archive, FreeWriter> writer(library->write_new(), FreeWriter{library});
  archive* a = writer.get();
  bool good = a != nullptr && library->write_zip(a) == ARCHIVE_OK &&
              library->write_bytes_in_last_block(a, 1) == ARCHIVE_OK &&
              library->write_open(a, &bytes, nullptr, append, nullptr) == ARCHIVE_OK;
  for (const auto& [name, content] : parts) {
    const std::unique_ptr<archive_entry, FreeEntry> entry(library->entry_new(), FreeEntry{library});
    library->entry_set_pathname(entry.get(), name.c_str());
    library->entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    library->entry_set_filetype(entry.get(), AE_IFREG);
    library->entry_set_perm(entry.get(), 0600);
    good = good && library->write_header(a, entry.get()) == ARCHIVE_OK &&
           library->write_data(a, content.data(), content.size()) ==
               static_cast<la_ssize_t>(content.size());
  }
  good = good && library->write_close(a) == ARCHIVE_OK;
  if (!good) return a != nullptr ? problem_of(library, a) : base::Error{"there is no memory left"};
  return bytes;
}

base::Result<ZipParts> read_zip(std::string_view bytes, std::size_t most_parts,
                                std::uint64_t most_bytes) {
  const auto& loaded = archive_library();
  if (!loaded) return loaded.error();
  const ArchiveLibrary* library = &*loaded;
  const std::unique_ptr<archive, FreeReader> reader(library->read_new(), FreeReader{library});
  archive* a = reader.get();
  if (a == nullptr || library->support_zip(a) != ARCHIVE_OK ||
      library->open_memory(a, bytes.data(), bytes.size()) != ARCHIVE_OK) {
    return a != nullptr ? problem_of(library, a) : base::Error{"there is no memory left"};
  }
  ZipParts parts;
  std::uint64_t total = 0;
  archive_entry* entry = nullptr;
  int status = ARCHIVE_OK;
  while ((status = library->next_header(a, &entry)) == ARCHIVE_OK) {
    const char* name = library->entry_pathname(entry);
    if (name == nullptr || parts.size() == most_parts) return base::Error{"it has too many parts"};
    std::string content;
    char buffer[1 << 16];
    la_ssize_t count = 0;
    while ((count = library->read_data(a, buffer, sizeof buffer)) > 0) {
      total += static_cast<std::uint64_t>(count);
      if (total > most_bytes) return base::Error{"it is too large"};
      content.append(buffer, static_cast<std::size_t>(count));
    }
    if (count < 0) return problem_of(library, a);
    if (!parts.emplace(name, std::move(content)).second) {
      return base::Error{"it has a part twice"};
    }
  }
  if (status != ARCHIVE_EOF) return problem_of(library, a);
  return parts;
}

}  // namespace tofu::transport
