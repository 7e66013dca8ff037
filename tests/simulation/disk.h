// A disk in memory that forgets what a real one may forget.
//
// Without power, content that was not synced is lost, torn, or kept out of order, and names that
// were made, renamed or removed since their directory was synced may be as before. A sync that
// fails drops what it was to write, as Linux does. A killed process only loses its open files.
//
// Each process sees the disk through a view of its own, which does nothing any more once the
// process is dead.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "tests/simulation/fates.h"
#include "tests/simulation/random.h"

namespace tofu::simulation {

class SimulatedFile;

struct Inode {
  std::uint64_t number = 0;
  std::string content = {};
  std::string durable = {};  // what is on disk for certain
  std::size_t dropped = 0;   // bytes after `durable` that a failed sync has dropped
  std::uint32_t mode = 0600;
  std::int64_t changed = 0;
  const SimulatedFile* locked_by = nullptr;
};

class SimulatedDisk {
 public:
  using NameTable = std::map<std::string, std::shared_ptr<Inode>, std::less<>>;

  // The machine loses power: every process on it is dead before.
  void lose_power(Random& random);

  void let_a_day_pass() { ticks_ += 24 * 3600 * 1000; }

  const NameTable& names() const { return names_; }
  // Empty if there is no such file.
  std::string_view content(std::string_view path) const;
  // As a person changes a file by hand, with everything on disk at once.
  void put(const std::string& path, std::string content);
  void remove(const std::string& path);

 private:
  friend class ProcessDisk;
  friend class SimulatedFile;

  // A change of names that may be lost: `from` is empty for a new name, `to` for a removed one.
  struct NameChange {
    std::string from;
    std::string to;
    std::shared_ptr<Inode> inode;
  };

  void change_names(NameChange change);
  std::uint64_t links(const Inode& inode) const;
  static std::string after_power_loss(const Inode& inode, Random& random);

  NameTable names_;
  NameTable durable_names_;
  std::vector<NameChange> pending_;
  std::set<std::string, std::less<>> directories_{"."};
  std::uint64_t last_inode_ = 0;
  std::int64_t ticks_ = 0;
};

// What one process sees of it. Everything outlives it.
class ProcessDisk final : public base::Disk {
 public:
  // Called when a file gets this name.
  using OnNamed = std::function<void(const std::string& path, const std::string& content)>;
  ProcessDisk(SimulatedDisk& disk, Process& process, Fates& fates,
              const std::map<std::int64_t, bool>& running, OnNamed on_named)
      : disk_(disk),
        process_(process),
        fates_(fates),
        running_(running),
        on_named_(std::move(on_named)) {}

  base::DiskResult<std::unique_ptr<base::DiskFile>> open(const std::string& path,
                                                         base::OpenMode how,
                                                         std::uint32_t mode) override;
  base::DiskResult<base::FileInfo> info(const std::string& path) override;
  base::DiskResult<void> check_writable(const std::string& path) override;
  std::string target_of(const std::string& path) override { return path; }
  base::DiskResult<void> rename(const std::string& from, const std::string& to) override;
  base::DiskResult<void> remove(const std::string& path) override;
  base::DiskResult<void> make_directory(const std::string& path) override;
  base::DiskResult<void> sync_directory(const std::string& path) override;
  base::DiskResult<std::vector<std::string>> names_in(const std::string& directory) override;
  std::int64_t process() const override { return process_.number; }
  bool is_running(std::int64_t process) const override;
  std::int64_t now() const override { return disk_.ticks_ / 1000; }
  std::uint32_t user() const override { return 1000; }

 private:
  friend class SimulatedFile;
  // An errno; 0: go on.
  Verdict meet(Moment moment);
  base::FileInfo info_of(const Inode& inode) const;

  SimulatedDisk& disk_;
  Process& process_;
  Fates& fates_;
  const std::map<std::int64_t, bool>& running_;
  const OnNamed on_named_;
  std::uint64_t operations_ = 0;
};

}  // namespace tofu::simulation
