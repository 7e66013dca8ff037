// libarchive, loaded when the first archive is read or written.
//
// See base/dynamic_library.h for why. Types and constants come from its own headers.
// Private to archive_reader.cc and tar_writer.cc.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include "base/result.h"

namespace tofu::archive {

struct ArchiveLibrary {
  decltype(&::archive_error_string) error_string;
  decltype(&::archive_set_error) set_error;
  decltype(&::archive_filter_count) filter_count;
  decltype(&::archive_read_new) read_new;
  decltype(&::archive_read_free) read_free;
  decltype(&::archive_read_support_filter_gzip) support_gzip;
  decltype(&::archive_read_support_filter_bzip2) support_bzip2;
  decltype(&::archive_read_support_filter_xz) support_xz;
  decltype(&::archive_read_support_format_raw) support_raw;
  decltype(&::archive_read_support_format_tar) support_tar;
  decltype(&::archive_read_support_format_zip_seekable) support_zip;
  decltype(&::archive_read_open_fd) open_fd;
  decltype(&::archive_read_open1) open1;
  decltype(&::archive_read_open2) open2;
  decltype(&::archive_read_set_read_callback) set_read_callback;
  decltype(&::archive_read_set_seek_callback) set_seek_callback;
  decltype(&::archive_read_set_callback_data) set_callback_data;
  decltype(&::archive_read_next_header) next_header;
  decltype(&::archive_read_data) read_data;
  decltype(&::archive_read_data_block) read_data_block;
  decltype(&::archive_entry_pathname) entry_pathname;
  decltype(&::archive_entry_hardlink) entry_hardlink;
  decltype(&::archive_entry_symlink) entry_symlink;
  decltype(&::archive_entry_size) entry_size;
  decltype(&::archive_entry_size_is_set) entry_size_is_set;
  decltype(&::archive_entry_perm) entry_perm;
  decltype(&::archive_entry_filetype) entry_filetype;
  decltype(&::archive_write_free) write_free;
  decltype(&::archive_entry_free) entry_free;
  decltype(&::archive_write_new) write_new;
  decltype(&::archive_write_set_format_pax_restricted) write_pax;
  decltype(&::archive_write_add_filter_gzip) write_gzip;
  decltype(&::archive_write_set_bytes_in_last_block) write_bytes_in_last_block;
  decltype(&::archive_write_open) write_open;
  decltype(&::archive_entry_new) entry_new;
  decltype(&::archive_entry_set_pathname) entry_set_pathname;
  decltype(&::archive_entry_set_size) entry_set_size;
  decltype(&::archive_entry_set_filetype) entry_set_filetype;
  decltype(&::archive_entry_set_perm) entry_set_perm;
  decltype(&::archive_entry_set_mtime) entry_set_mtime;
  decltype(&::archive_entry_set_symlink) entry_set_symlink;
  decltype(&::archive_write_header) write_header;
  decltype(&::archive_write_data) write_data;
  decltype(&::archive_write_close) write_close;
};

// The library, the same each time; an error if it is not there. Safe to call from several
// threads.
const base::Result<ArchiveLibrary>& archive_library();

}  // namespace tofu::archive
