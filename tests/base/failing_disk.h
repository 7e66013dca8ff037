// The disk of the system, of which some operations fail, for tests.
//
// An error number that is not 0 is what every such operation answers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/disk.h"

namespace tofu::base {

class FailingDisk final : public Disk {
 public:
  int info_error = 0;
  int sync_directory_error = 0;

  DiskResult<std::unique_ptr<DiskFile>> open(const std::string& path, OpenMode how,
                                             std::uint32_t mode) override {
    return real_.open(path, how, mode);
  }
  DiskResult<FileInfo> info(const std::string& path) override {
    if (info_error != 0) return ErrorNumber{info_error};
    return real_.info(path);
  }
  DiskResult<void> check_writable(const std::string& path) override {
    return real_.check_writable(path);
  }
  std::string target_of(const std::string& path) override { return real_.target_of(path); }
  DiskResult<void> rename(const std::string& from, const std::string& to) override {
    return real_.rename(from, to);
  }
  DiskResult<void> remove(const std::string& path) override { return real_.remove(path); }
  DiskResult<void> make_directory(const std::string& path) override {
    return real_.make_directory(path);
  }
  DiskResult<void> sync_directory(const std::string& path) override {
    if (sync_directory_error != 0) return ErrorNumber{sync_directory_error};
    return real_.sync_directory(path);
  }
  DiskResult<std::vector<std::string>> names_in(const std::string& directory) override {
    return real_.names_in(directory);
  }
  std::int64_t process() const override { return real_.process(); }
  bool is_running(std::int64_t process) const override { return real_.is_running(process); }
  std::int64_t now() const override { return real_.now(); }
  std::uint32_t user() const override { return real_.user(); }

 private:
  Disk& real_ = system_disk();
};

}  // namespace tofu::base
