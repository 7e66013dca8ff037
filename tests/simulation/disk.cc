#include "tests/simulation/disk.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <utility>

#include "base/check.h"
#include "base/descriptor.h"

namespace tofu::simulation {

using base::DiskResult;
using base::ErrorNumber;

namespace {

constexpr std::size_t kSector = 512;
// A command needs some hundred operations. One that tries again for ever needs more.
constexpr std::uint64_t kMaxOperations = 100'000;

DiskResult<void> answer(const Verdict& verdict) {
  if (verdict.error == 0) return {};
  return ErrorNumber{verdict.error};
}

}  // namespace

class SimulatedFile final : public base::DiskFile {
 public:
  SimulatedFile(ProcessDisk& disk, std::shared_ptr<Inode> inode, bool can_write)
      : disk_(disk), inode_(std::move(inode)), can_write_(can_write) {}
  SimulatedFile(const SimulatedFile&) = delete;
  SimulatedFile& operator=(const SimulatedFile&) = delete;
  ~SimulatedFile() override {
    if (inode_->locked_by == this) inode_->locked_by = nullptr;
  }

  base::Result<std::string> read(std::uint64_t limit) override {
    if (const Verdict verdict = disk_.meet(Moment::Look); verdict.error != 0) {
      return base::system_error(verdict.error);
    }
    if (inode_->content.size() > limit) return base::Error{"too large"};
    return inode_->content;
  }

  DiskResult<std::size_t> write_some(std::string_view content) override {
    const Verdict verdict = disk_.meet(Moment::Write);
    if (!can_write_) return ErrorNumber{EBADF};
    if (verdict.error != 0) return ErrorNumber{verdict.error};
    if (verdict.is_partly) content = content.substr(0, (content.size() + 1) / 2);
    inode_->content += content;
    inode_->changed = ++disk_.disk_.ticks_;
    return content.size();
  }

  DiskResult<void> sync() override { return sync_content(); }
  DiskResult<void> sync_content() override {
    const Verdict verdict = disk_.meet(Moment::Sync);
    if (verdict.error != 0) {
      if (disk_.process_.is_alive) {
        inode_->dropped = inode_->content.size() - inode_->durable.size();
      }
      return ErrorNumber{verdict.error};
    }
    const std::size_t before = inode_->durable.size();
    inode_->durable = inode_->content;
    // A later sync does not bring back what a failed one has dropped.
    std::fill_n(inode_->durable.begin() + static_cast<std::ptrdiff_t>(before),
                std::exchange(inode_->dropped, 0), '\0');
    return {};
  }

  DiskResult<void> clear() override {
    if (const auto met = answer(disk_.meet(Moment::Write)); !met) return met;
    inode_->content.clear();
    inode_->durable.clear();
    inode_->changed = ++disk_.disk_.ticks_;
    return {};
  }

  DiskResult<base::FileInfo> info() override {
    if (const auto met = answer(disk_.meet(Moment::Look)); !met) return met.error();
    return disk_.info_of(*inode_);
  }

  base::Result<bool> try_lock() override {
    if (const Verdict verdict = disk_.meet(Moment::Look); verdict.error != 0) {
      return base::system_error(verdict.error);
    }
    const SimulatedFile* holder = inode_->locked_by;
    if (holder != nullptr && holder != this && holder->disk_.process_.is_alive) return false;
    inode_->locked_by = this;
    return true;
  }

  DiskResult<void> take_attributes_of(const std::string&, base::Permissions permissions) override {
    if (const auto met = answer(disk_.meet(Moment::Look)); !met) return met;
    if (permissions == base::Permissions::Private) inode_->mode = 0600;
    return {};
  }
  void take_owner_of(const std::string&) override {}

 private:
  ProcessDisk& disk_;
  const std::shared_ptr<Inode> inode_;
  const bool can_write_;
};

std::string_view SimulatedDisk::content(std::string_view path) const {
  const auto found = names_.find(path);
  return found == names_.end() ? std::string_view() : std::string_view(found->second->content);
}

void SimulatedDisk::put(const std::string& path, std::string content) {
  auto inode = std::make_shared<Inode>();
  inode->number = ++last_inode_;
  inode->durable = content;
  inode->content = std::move(content);
  inode->changed = ++ticks_;
  names_[path] = inode;
  durable_names_[path] = inode;
}

void SimulatedDisk::remove(const std::string& path) {
  names_.erase(path);
  durable_names_.erase(path);
}

void SimulatedDisk::change_names(NameChange change) {
  ++ticks_;
  if (!change.from.empty()) names_.erase(change.from);
  if (!change.to.empty()) names_[change.to] = change.inode;
  pending_.push_back(std::move(change));
}

std::uint64_t SimulatedDisk::links(const Inode& inode) const {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      names_, [&](const auto& named) { return named.second.get() == &inode; }));
}

// What was not synced is there, or not, or some sectors of it, or up to some byte.
std::string SimulatedDisk::after_power_loss(const Inode& inode, Random& random) {
  std::string kept = inode.durable;
  if (inode.content.size() <= kept.size()) return kept;
  const std::string_view rest = std::string_view(inode.content).substr(kept.size() + inode.dropped);
  kept.append(inode.dropped, '\0');
  switch (random.below(4)) {
    case 0: return inode.durable;
    case 1: return kept + std::string(rest);
    case 2: return kept + std::string(rest.substr(0, random.below(rest.size() + 1)));
    default: break;
  }
  // The file has its length, and some of its sectors.
  const std::size_t begin = kept.size();
  kept += rest;
  for (std::size_t at = begin; at < kept.size();) {
    const std::size_t end = std::min((at / kSector + 1) * kSector, kept.size());
    if (random.one_in(2)) {
      std::fill(kept.begin() + static_cast<std::ptrdiff_t>(at),
                kept.begin() + static_cast<std::ptrdiff_t>(end), '\0');
    }
    at = end;
  }
  return kept;
}

void SimulatedDisk::lose_power(Random& random) {
  NameTable after = durable_names_;
  std::set<std::string> unlike;  // names that are not as these changes expect them
  for (const NameChange& change : pending_) {
    const bool is_possible = !unlike.contains(change.from) && !unlike.contains(change.to);
    if (is_possible && random.one_in(2)) {
      if (!change.from.empty()) after.erase(change.from);
      if (!change.to.empty()) after[change.to] = change.inode;
      continue;
    }
    if (!change.from.empty()) unlike.insert(change.from);
    if (!change.to.empty()) unlike.insert(change.to);
  }
  pending_.clear();
  names_ = std::move(after);
  for (auto& [path, inode] : names_) {
    // Open files of the dead have the old one.
    auto found = std::make_shared<Inode>(*inode);
    found->content = after_power_loss(*inode, random);
    found->durable = found->content;
    found->dropped = 0;
    found->locked_by = nullptr;
    inode = std::move(found);
  }
  durable_names_ = names_;
}

Verdict ProcessDisk::meet(Moment moment) {
  TOFU_CHECK(++operations_ < kMaxOperations, "a command ends");
  if (!process_.is_alive) return {.error = EIO};
  const Verdict verdict = fates_.meet(process_, moment);
  return process_.is_alive ? verdict : Verdict{.error = EIO};
}

base::FileInfo ProcessDisk::info_of(const Inode& inode) const {
  return {.device = 1,
          .inode = inode.number,
          .links = disk_.links(inode),
          .size = static_cast<std::int64_t>(inode.content.size()),
          .seconds = inode.changed / 1000,
          .nanoseconds = inode.changed % 1000,
          .mode = S_IFREG | inode.mode,
          .owner = 1000};
}

DiskResult<std::unique_ptr<base::DiskFile>> ProcessDisk::open(const std::string& path,
                                                              base::OpenMode how,
                                                              std::uint32_t mode) {
  if (const auto met = answer(meet(Moment::Open)); !met) return met.error();
  const auto found = disk_.names_.find(path);
  const bool exists = found != disk_.names_.end();
  const bool is_new = how == base::OpenMode::Create || how == base::OpenMode::Journal;
  if (exists && is_new) return ErrorNumber{EEXIST};
  std::shared_ptr<Inode> inode;
  if (exists) {
    inode = found->second;
  } else {
    if (how == base::OpenMode::Read || how == base::OpenMode::Existing) {
      return ErrorNumber{ENOENT};
    }
    if (!disk_.directories_.contains(base::directory_of(path))) return ErrorNumber{ENOENT};
    inode = std::make_shared<Inode>();
    inode->number = ++disk_.last_inode_;
    inode->mode = mode;
    disk_.change_names({{}, path, inode});
    inode->changed = disk_.ticks_;
  }
  return std::unique_ptr<base::DiskFile>(
      std::make_unique<SimulatedFile>(*this, std::move(inode), how != base::OpenMode::Read));
}

DiskResult<base::FileInfo> ProcessDisk::info(const std::string& path) {
  if (const auto met = answer(meet(Moment::Look)); !met) return met.error();
  if (disk_.directories_.contains(path)) {
    return base::FileInfo{.device = 1, .mode = S_IFDIR | 0755, .owner = 1000};
  }
  const auto found = disk_.names_.find(path);
  if (found == disk_.names_.end()) return ErrorNumber{ENOENT};
  return info_of(*found->second);
}

DiskResult<void> ProcessDisk::check_writable(const std::string&) {
  return answer(meet(Moment::Look));
}

DiskResult<void> ProcessDisk::rename(const std::string& from, const std::string& to) {
  if (const auto met = answer(meet(Moment::Name)); !met) return met;
  const auto found = disk_.names_.find(from);
  if (found == disk_.names_.end()) return ErrorNumber{ENOENT};
  const auto inode = found->second;
  disk_.change_names({from, to, inode});
  on_named_(to, inode->content);
  return {};
}

DiskResult<void> ProcessDisk::remove(const std::string& path) {
  if (const auto met = answer(meet(Moment::Name)); !met) return met;
  const auto found = disk_.names_.find(path);
  if (found == disk_.names_.end()) return ErrorNumber{ENOENT};
  disk_.change_names({path, {}, found->second});
  return {};
}

// On disk at once: how directories come to be is not what is simulated.
DiskResult<void> ProcessDisk::make_directory(const std::string& path) {
  if (const auto met = answer(meet(Moment::Name)); !met) return met;
  if (!disk_.directories_.insert(path).second) return ErrorNumber{EEXIST};
  return {};
}

DiskResult<void> ProcessDisk::sync_directory(const std::string& path) {
  if (const auto met = answer(meet(Moment::SyncDirectory)); !met) return met;
  std::erase_if(disk_.pending_, [&](const SimulatedDisk::NameChange& change) {
    const std::string& name = change.to.empty() ? change.from : change.to;
    if (base::directory_of(name) != path) return false;
    if (!change.from.empty()) disk_.durable_names_.erase(change.from);
    if (!change.to.empty()) disk_.durable_names_[change.to] = change.inode;
    return true;
  });
  return {};
}

DiskResult<std::vector<std::string>> ProcessDisk::names_in(const std::string& directory) {
  if (const auto met = answer(meet(Moment::Look)); !met) return met.error();
  const std::string prefix = directory == "." ? "" : directory + "/";
  std::vector<std::string> names;
  for (const auto& [path, inode] : disk_.names_) {
    const std::string_view rest =
        std::string_view(path).substr(std::min(prefix.size(), path.size()));
    if (path.starts_with(prefix) && rest.find('/') == std::string_view::npos) {
      names.emplace_back(rest);
    }
  }
  return names;
}

bool ProcessDisk::is_running(std::int64_t process) const {
  const auto found = running_.find(process);
  return found != running_.end() && found->second;
}

}  // namespace tofu::simulation
