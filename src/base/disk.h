// The file system as an interface: what states, their locks and journals do with files.
//
// A call here is a call of the system with the error numbers of the system, so that callers decide
// what an interruption, a short write or a full disk means to them. system_disk() is the file
// system of this machine. Another disk can fail, lose power and count calls: code that must lose
// nothing takes its disk as an argument.
//
// Threads: any. A file belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tofu::base {

// The attributes that a replaced file keeps, where this process may set it.
enum class Permissions : std::uint8_t {
  Kept,     // owner, group, mode and extended attributes
  Private,  // owner, group and other attributes; the mode is 0600 and access lists go
  New       // nothing
};

// An errno. Its words are those of system_error().
struct ErrorNumber {
  int value = 0;
};
template <class T>
using DiskResult = Result<T, ErrorNumber>;
Error system_error(ErrorNumber number);

struct FileInfo {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t links = 0;
  std::int64_t size = 0;
  std::int64_t seconds = 0;  // of the last change of its content
  std::int64_t nanoseconds = 0;
  std::uint32_t mode = 0;  // with its kind, as in struct stat
  std::uint32_t owner = 0;
};

// Closed when it goes away, which also releases its lock.
class DiskFile {
 public:
  virtual ~DiskFile() = default;

  // Of the whole file. Longer than `limit` is an error.
  virtual Result<std::string> read(std::uint64_t limit) = 0;
  // At the place where the last write ended, or at the end of one that was opened to append. May
  // write less than everything.
  virtual DiskResult<std::size_t> write_some(std::string_view content) = 0;
  // Waits until its content is on disk, with the times and owners of the file or without them.
  virtual DiskResult<void> sync() = 0;
  virtual DiskResult<void> sync_content() = 0;
  // Makes it empty; the next write is at its beginning.
  virtual DiskResult<void> clear() = 0;
  virtual DiskResult<FileInfo> info() = 0;
  // Takes an exclusive lock on it, which other processes respect. False if it is held.
  virtual Result<bool> try_lock() = 0;
  // Makes a new file like `path`, which it replaces, as far as this process may.
  virtual DiskResult<void> take_attributes_of(const std::string& path, Permissions permissions) = 0;
  // The same for owner and group alone. Nothing if there is no `path`.
  virtual void take_owner_of(const std::string& path) = 0;
};

enum class OpenMode : std::uint8_t {
  Read,
  Existing,  // read and write; an error if it is missing
  Change,    // read and write; made if it is missing
  Create,    // read and write; an error if it exists
  Journal,   // write at the end; an error if it exists
};

class Disk {
 public:
  virtual ~Disk() = default;

  // A file that is made gets the mode `mode`, less the umask.
  virtual DiskResult<std::unique_ptr<DiskFile>> open(const std::string& path, OpenMode how,
                                                     std::uint32_t mode) = 0;
  // Follows symbolic links.
  virtual DiskResult<FileInfo> info(const std::string& path) = 0;
  virtual DiskResult<void> check_writable(const std::string& path) = 0;
  // The file that a path names, behind symbolic links.
  virtual std::string target_of(const std::string& path) = 0;
  virtual DiskResult<void> rename(const std::string& from, const std::string& to) = 0;
  // A file.
  virtual DiskResult<void> remove(const std::string& path) = 0;
  virtual DiskResult<void> make_directory(const std::string& path) = 0;
  // Makes sure that new, renamed and removed names in it outlive a crash.
  virtual DiskResult<void> sync_directory(const std::string& path) = 0;
  // Without "." and "..", in any order.
  virtual DiskResult<std::vector<std::string>> names_in(const std::string& directory) = 0;

  // This process, and whether another one of this machine still runs: temporary files have the
  // number of their maker in their names.
  virtual std::int64_t process() const = 0;
  virtual bool is_running(std::int64_t process) const = 0;
  // Seconds since 1970, as in the times of its files.
  virtual std::int64_t now() const = 0;
  // The user that this process acts as.
  virtual std::uint32_t user() const = 0;
};

Disk& system_disk();

// All of it, with as many writes as it takes.
DiskResult<void> write_all(DiskFile& file, std::string_view content);
// The directory of `path`: makes sure that its names outlive a crash.
DiskResult<void> sync_directory_of(Disk& disk, const std::string& path);
// The directory of `path`, as written.
std::string directory_of(const std::string& path);

}  // namespace tofu::base
