// libarchive of a build that links it (TOFU_SHARED).
#include "archive/archive_library.h"

namespace tofu::archive {

const base::Result<ArchiveLibrary>& archive_library() {
  static const base::Result<ArchiveLibrary> library = ArchiveLibrary{
      .error_string = &::archive_error_string,
      .set_error = &::archive_set_error,
      .filter_count = &::archive_filter_count,
      .read_new = &::archive_read_new,
      .read_free = &::archive_read_free,
      .support_gzip = &::archive_read_support_filter_gzip,
      .support_bzip2 = &::archive_read_support_filter_bzip2,
      .support_xz = &::archive_read_support_filter_xz,
      .support_raw = &::archive_read_support_format_raw,
      .support_tar = &::archive_read_support_format_tar,
      .support_zip = &::archive_read_support_format_zip_seekable,
      .open_fd = &::archive_read_open_fd,
      .open1 = &::archive_read_open1,
      .open2 = &::archive_read_open2,
      .set_read_callback = &::archive_read_set_read_callback,
      .set_seek_callback = &::archive_read_set_seek_callback,
      .set_callback_data = &::archive_read_set_callback_data,
      .next_header = &::archive_read_next_header,
      .read_data = &::archive_read_data,
      .read_data_block = &::archive_read_data_block,
      .entry_pathname = &::archive_entry_pathname,
      .entry_hardlink = &::archive_entry_hardlink,
      .entry_symlink = &::archive_entry_symlink,
      .entry_size = &::archive_entry_size,
      .entry_size_is_set = &::archive_entry_size_is_set,
      .entry_perm = &::archive_entry_perm,
      .entry_filetype = &::archive_entry_filetype,
      .write_free = &::archive_write_free,
      .entry_free = &::archive_entry_free,
      .write_new = &::archive_write_new,
      .write_pax = &::archive_write_set_format_pax_restricted,
      .write_gzip = &::archive_write_add_filter_gzip,
      .write_bytes_in_last_block = &::archive_write_set_bytes_in_last_block,
      .write_open = &::archive_write_open,
      .entry_new = &::archive_entry_new,
      .entry_set_pathname = &::archive_entry_set_pathname,
      .entry_set_size = &::archive_entry_set_size,
      .entry_set_filetype = &::archive_entry_set_filetype,
      .entry_set_perm = &::archive_entry_set_perm,
      .entry_set_mtime = &::archive_entry_set_mtime,
      .entry_set_symlink = &::archive_entry_set_symlink,
      .write_header = &::archive_write_header,
      .write_data = &::archive_write_data,
      .write_close = &::archive_write_close,
  };
  return library;
}

}  // namespace tofu::archive
