// Files: whole reads, atomic writes, directory listings.
//
// The lower components touch the disk only through this header. Paths are bytes and are used as
// given. Errors are the system's words in lower case, without the path: the caller names the file
// in its own sentence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/file_replacement.h"
#include "base/result.h"

namespace tofu::base {

// Offsets into source text are 32 bits wide.
inline constexpr std::uint64_t kMaxFileSize = 0xFFFFFFFF;

// Opens /dev/null for each of the first three descriptors that is closed: a file that
// gets such a number would be written to as if it were the terminal. First of all.
void open_standard_descriptors();

// The whole file. Longer than `limit` is an error, and nothing is kept of it.
Result<std::string> read_file(const std::string& path, std::uint64_t limit = kMaxFileSize);
Result<std::string> read_file(Disk& disk, const std::string& path,
                              std::uint64_t limit = kMaxFileSize);

// Everything until the end of an open descriptor, such as standard input.
Result<std::string> read_descriptor(int descriptor, std::uint64_t limit = kMaxFileSize);

// Replaces the content of `path` as a whole, by a FileReplacement. With Sync::Yes it also removes
// what replacements of the file by killed processes left behind an hour ago or earlier.
Result<void> write_file(const std::string& path, std::string_view content,
                        std::uint32_t mode = 0644, Sync sync = Sync::Yes);
Result<void> write_file(Disk& disk, const std::string& path, std::string_view content,
                        std::uint32_t mode = 0644, Sync sync = Sync::Yes);

// The same for what may hold secrets: afterwards only the owner can read the file, independent of
// its permissions before. With Permissions::New the owner is this process, also where a file of
// another user is replaced.
Result<void> write_private_file(const std::string& path, std::string_view content,
                                Permissions permissions = Permissions::Private);
Result<void> write_private_file(Disk& disk, const std::string& path, std::string_view content,
                                Permissions permissions = Permissions::Private);

// Returns when everything that was written to the file systems of these files and
// directories is on disk: many files at the price of one. A missing one is ignored.
Result<void> sync_file_systems(std::span<const std::string> paths);

// Makes the directory that `path` is in, and those above it that are missing. Their names
// outlive a crash.
Result<void> make_directory_of(const std::string& path);
Result<void> make_directory_of(Disk& disk, const std::string& path);

enum class FileKind : std::uint8_t { Missing, Regular, Directory, Other };

// Follows symbolic links. Missing also if a parent directory is.
Result<FileKind> file_kind(const std::string& path);
Result<FileKind> file_kind(Disk& disk, const std::string& path);

// Absolute, without links, "." or "..". The file must exist.
Result<std::string> real_path(const std::string& path);

struct DirectoryEntry {
  std::string name;
  FileKind kind;  // of what a link points to; Missing for a dangling link
  bool is_link;
};

// Without "." and "..", sorted by the bytes of the names.
Result<std::vector<DirectoryEntry>> list_directory(const std::string& path);

}  // namespace tofu::base
