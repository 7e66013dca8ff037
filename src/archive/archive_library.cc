#include "archive/archive_library.h"

#include "base/dynamic_library.h"

namespace tofu::archive {

namespace {

base::Result<ArchiveLibrary> load() {
  auto library = base::DynamicLibrary::load("libarchive.so.13", "libarchive13");
  if (!library) return std::move(library).error();
  ArchiveLibrary archive{};
  library->find("archive_error_string", archive.error_string);
  library->find("archive_set_error", archive.set_error);
  library->find("archive_filter_count", archive.filter_count);
  library->find("archive_read_new", archive.read_new);
  library->find("archive_read_free", archive.read_free);
  library->find("archive_read_support_filter_gzip", archive.support_gzip);
  library->find("archive_read_support_filter_bzip2", archive.support_bzip2);
  library->find("archive_read_support_filter_xz", archive.support_xz);
  library->find("archive_read_support_format_raw", archive.support_raw);
  library->find("archive_read_support_format_tar", archive.support_tar);
  library->find("archive_read_support_format_zip_seekable", archive.support_zip);
  library->find("archive_read_open_fd", archive.open_fd);
  library->find("archive_read_open1", archive.open1);
  library->find("archive_read_open2", archive.open2);
  library->find("archive_read_set_read_callback", archive.set_read_callback);
  library->find("archive_read_set_seek_callback", archive.set_seek_callback);
  library->find("archive_read_set_callback_data", archive.set_callback_data);
  library->find("archive_read_next_header", archive.next_header);
  library->find("archive_read_data", archive.read_data);
  library->find("archive_read_data_block", archive.read_data_block);
  library->find("archive_entry_pathname", archive.entry_pathname);
  library->find("archive_entry_hardlink", archive.entry_hardlink);
  library->find("archive_entry_symlink", archive.entry_symlink);
  library->find("archive_entry_size", archive.entry_size);
  library->find("archive_entry_size_is_set", archive.entry_size_is_set);
  library->find("archive_entry_perm", archive.entry_perm);
  library->find("archive_entry_filetype", archive.entry_filetype);
  library->find("archive_write_free", archive.write_free);
  library->find("archive_entry_free", archive.entry_free);
  library->find("archive_write_new", archive.write_new);
  library->find("archive_write_set_format_pax_restricted", archive.write_pax);
  library->find("archive_write_add_filter_gzip", archive.write_gzip);
  library->find("archive_write_set_bytes_in_last_block", archive.write_bytes_in_last_block);
  library->find("archive_write_open", archive.write_open);
  library->find("archive_entry_new", archive.entry_new);
  library->find("archive_entry_set_pathname", archive.entry_set_pathname);
  library->find("archive_entry_set_size", archive.entry_set_size);
  library->find("archive_entry_set_filetype", archive.entry_set_filetype);
  library->find("archive_entry_set_perm", archive.entry_set_perm);
  library->find("archive_entry_set_mtime", archive.entry_set_mtime);
  library->find("archive_entry_set_symlink", archive.entry_set_symlink);
  library->find("archive_write_header", archive.write_header);
  library->find("archive_write_data", archive.write_data);
  library->find("archive_write_close", archive.write_close);
  if (auto found = library->check(); !found) return found.error();
  return archive;
}

}  // namespace

const base::Result<ArchiveLibrary>& archive_library() {
  static const base::Result<ArchiveLibrary> library = load();
  return library;
}

}  // namespace tofu::archive
