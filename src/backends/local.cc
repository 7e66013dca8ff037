#include "backends/local.h"

#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "backends/import_rule.h"
#include "backends/journal_place.h"
#include "backends/kinds.h"
#include "backends/local_lock.h"
#include "backends/settings.h"
#include "backends/state_put.h"
#include "backends/workspace_name.h"
#include "base/file.h"
#include "base/uuid.h"
#include "state/state_file.h"

namespace tofu::backends {

namespace {

// A state has no limit that a person could reach; offsets in it have.
constexpr std::uint64_t kMaxStateSize = std::uint64_t{16} << 30;
constexpr std::string_view kLocalOwner = "local";

std::string parent_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

// Which file it is, and of when: another content has another stamp.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  bool operator==(const FileStamp&) const = default;
};

FileStamp stamp_of(const base::FileInfo& info) {
  return {info.device, info.inode, info.size, info.seconds, info.nanoseconds};
}

struct Content {
  std::string bytes;  // empty if there is no such file
  std::optional<FileStamp> stamp;
};

base::Result<Content> read_if_there(base::Disk& disk, const std::string& path) {
  while (true) {
    const auto file = disk.open(path, base::OpenMode::Read, 0);
    if (!file) {
      if (file.error().value == ENOENT || file.error().value == ENOTDIR) return Content();
      return base::system_error(file.error());
    }
    const auto before = (*file)->info();
    auto text = (*file)->read(kMaxStateSize);
    if (!text) return std::move(text).error();
    // A file that was replaced meanwhile may be one that its writer spoilt on purpose.
    const auto after = (*file)->info();
    if (after && after->links == 0) continue;
    Content content{std::move(*text), {}};
    if (before && after && stamp_of(*before) == stamp_of(*after)) content.stamp = stamp_of(*after);
    return content;
  }
}

class LocalStore final : public Store {
 public:
  LocalStore(LocalPaths paths, std::string version, const state::Encryption& encryption,
             std::function<void(const std::string&)> note, base::Disk& disk)
      : paths_(std::move(paths)),
        version_(std::move(version)),
        encryption_(encryption),
        note_(std::move(note)),
        disk_(disk),
        lock_(paths_.write, disk) {}
  LocalStore(const LocalStore&) = delete;
  LocalStore& operator=(const LocalStore&) = delete;

  // States may have been stored by several threads; this is the one that opened the store.
  ~LocalStore() override {
    if (mode_before_ == 0 || !note_) return;
    note_(
        fmt::format("Note: the mode of {} was {:04o}. It is 0600 now, because a state may hold "
                    "secrets.",
                    paths_.write, mode_before_));
  }

  diag::Checked<Stored> read(diag::Diagnostics& diags) override {
    read_stamp_.reset();
    auto found = read_file(paths_.read, diags, &read_stamp_);
    if (!found) return std::nullopt;
    known_ = found->state;
    has_read_ = true;
    return found;
  }

  using Store::write;
  diag::Checked<void> write(state::State& state, const Before& before,
                            diag::Diagnostics& diags) override {
    if (!has_read_ && !read(diags)) return false;
    if (known_ && !known_->lineage.empty()) {
      state.lineage = known_->lineage;
    } else if (state.lineage.empty() && !new_lineage(state, diags)) {
      return false;
    }
    state.serial = known_ ? known_->serial : 0;
    const bool changes = !known_ || !state::same_content(state, *known_);
    if (changes && !raise_serial(state, diags)) return false;
    return store(state, before, diags);
  }

  diag::Checked<void> push(const state::State& state, bool force,
                           diag::Diagnostics& diags) override {
    if (!has_read_ && !read(diags)) return false;
    if (!force) {
      if (const auto reason = refused_import(state, known_ ? &*known_ : nullptr)) {
        diags.error("State cannot be replaced")
            .detail(fmt::format("The new state must not replace the one in {}: {}. To replace it "
                                "anyway, use -force.",
                                paths_.write, *reason));
        return false;
      }
    }
    state::State copy = state;
    return store(copy, {}, diags);
  }

  // OpenTofu leaves an empty file, too.
  diag::Checked<void> clear(diag::Diagnostics& diags) override {
    if (!keep_backup(state::State(), diags)) return false;
    const auto written = base::write_private_file(disk_, paths_.write, {});
    if (!written) {
      diags.error("Cannot store the state")
          .detail(fmt::format("Writing the state file {} failed: {}.", paths_.write,
                              written.error().what));
      return false;
    }
    known_.reset();
    read_stamp_.reset();
    has_read_ = true;
    return true;
  }

  diag::Checked<void> lock(LockInfo info, const LockWait& wait, diag::Diagnostics& diags) override {
    if (!make_directory(diags) || !lock_.acquire(std::move(info), wait, diags)) return false;
    // No other process writes these now.
    base::remove_abandoned_replacements(disk_, paths_.write, {});
    if (!paths_.backup.empty()) base::remove_abandoned_replacements(disk_, paths_.backup, {});
    return true;
  }

  diag::Checked<void> unlock(diag::Diagnostics&) override {
    lock_.release();
    return true;
  }

  diag::Checked<void> force_unlock(const std::string& id, diag::Diagnostics& diags) override {
    diags.error("Local locks cannot be taken away")
        .detail(
            fmt::format("The lock {} on the state file {} belongs to the process that took it, and "
                        "ends with it. A leftover record of such a lock does not block other runs.",
                        id, paths_.write));
    return false;
  }

  std::vector<std::string> journal_places() const override { return {paths_.write + ".journal"}; }
  std::string journal_owner() const override { return std::string(kLocalOwner); }
  // A file beside another is about that one, wherever both were moved.
  bool owns_journal(const std::string& owner, const std::string&) const override {
    return owner.starts_with(kLocalOwner);
  }
  base::Disk& disk() const override { return disk_; }
  const state::Encryption& encryption() const override { return encryption_; }

 private:
  std::optional<Stored> read_file(const std::string& path, diag::Diagnostics& diags,
                                  std::optional<FileStamp>* stamp = nullptr) {
    const auto failed = [&](const std::string& what) -> std::optional<Stored> {
      diags.error("Cannot read the state")
          .detail(fmt::format("Reading the state file {} failed: {}.", path, what));
      return std::nullopt;
    };
    auto content = read_if_there(disk_, path);
    if (!content) return failed(content.error().what);
    if (content->bytes.empty()) return Stored{};
    if (stamp != nullptr) *stamp = content->stamp;
    std::string text = std::move(content->bytes);
    if (!encryption_.is_plain()) {
      auto decrypted = encryption_.decrypt(text);
      if (!decrypted) return failed(decrypted.error().what);
      text = std::move(*decrypted);
    }
    auto state = state::read_large_state(std::move(text), diags);
    if (!state) return std::nullopt;
    return Stored{std::move(state)};
  }

  bool new_lineage(state::State& state, diag::Diagnostics& diags) {
    const auto lineage = base::random_uuid();
    if (!lineage) {
      diags.error("Cannot make a lineage").detail(lineage.error().what + ".");
      return false;
    }
    state.lineage = *lineage;
    return true;
  }

  bool make_directory(diag::Diagnostics& diags) {
    const auto made = base::make_directory_of(disk_, paths_.write);
    if (made) return true;
    diags.error("Cannot make the directory of the state")
        .detail(fmt::format("Making the directory {} failed: {}.", parent_of(paths_.write),
                            made.error().what));
    return false;
  }

  // Whether the file is the one that `known_` was read from, and is unchanged since. A large state
  // is not read twice then.
  bool is_as_read(const std::string& path) const {
    if (!read_stamp_ || path != paths_.read) return false;
    const auto info = disk_.info(path);
    return info && stamp_of(*info) == *read_stamp_;
  }

  // The first replacement keeps the old state as a backup.
  bool keep_backup(const state::State& state, diag::Diagnostics& diags) {
    if (paths_.backup.empty() || backup_settled_) return true;
    std::optional<Stored> before;
    if (is_as_read(paths_.write)) {
      before = Stored{known_};
    } else {
      before = read_file(paths_.write, diags);
    }
    if (!before) return false;
    if (!before->state) {
      backup_settled_ = true;  // from now on there is what this run makes
      return true;
    }
    if (state::same_content(*before->state, state)) return true;
    state::State copy = *before->state;
    copy.terraform_version = version_;
    const auto kept = put_state(disk_, paths_.backup, copy, state::Layout::Compact, encryption_,
                                {.owner_like = paths_.write});
    if (!kept) {
      diags.error("Cannot keep a backup of the state")
          .detail(fmt::format("Writing the backup {} failed: {}. The state was not changed.",
                              paths_.backup, kept.error().what));
      return false;
    }
    backup_settled_ = true;
    return true;
  }

  bool store(state::State& state, const Before& before, diag::Diagnostics& diags) {
    if (!make_directory(diags) || !keep_backup(state, diags)) return false;
    state.terraform_version = version_;
    const auto before_it = disk_.info(paths_.write);
    const auto stored = put_state(disk_, paths_.write, state, state::Layout::Indented, encryption_,
                                  {.lock = &lock_, .before = before});
    if (!stored) {
      diags.error("Cannot store the state")
          .detail(fmt::format("Writing the state file {} failed: {}.", paths_.write,
                              stored.error().what));
      return false;
    }
    if (before_it && (before_it->mode & 0077) != 0) mode_before_ = before_it->mode & 0777;
    known_ = state;
    read_stamp_.reset();  // it is about another one
    has_read_ = true;
    paths_.read = paths_.write;  // from now on this is the state
    return true;
  }

  LocalPaths paths_;
  std::string version_;
  const state::Encryption& encryption_;
  std::function<void(const std::string&)> note_;  // may be empty
  base::Disk& disk_;
  LocalLock lock_;
  std::optional<state::State> known_;    // as last read or stored
  std::optional<FileStamp> read_stamp_;  // of what it was read from; none: it was not, or is old
  bool has_read_ = false;
  bool backup_settled_ = false;
  std::uint32_t mode_before_ = 0;  // of a state file that others could use; 0: there was none
};

class LocalBackend final : public Backend {
 public:
  LocalBackend(LocalSettings settings, const state::Encryption& encryption, base::Disk& disk)
      : settings_(std::move(settings)), encryption_(encryption), disk_(disk) {}

  std::string identity() const override {
    return fmt::format("local:{}:{}", settings_.path, settings_.workspace_directory);
  }

  diag::Checked<std::vector<std::string>> workspaces(diag::Diagnostics& diags) override {
    std::vector<std::string> names{std::string(kDefaultWorkspace)};
    const auto kind = base::file_kind(settings_.workspace_directory);
    if (kind && *kind == base::FileKind::Missing) return names;
    const auto entries = base::list_directory(settings_.workspace_directory);
    if (!entries) {
      diags.error("Cannot list the workspaces")
          .detail(fmt::format("Reading the directory {} failed: {}.", settings_.workspace_directory,
                              entries.error().what));
      return std::nullopt;
    }
    for (const base::DirectoryEntry& entry : *entries) {
      if (entry.kind == base::FileKind::Directory && !entry.is_link) names.push_back(entry.name);
    }
    return names;
  }

  diag::Checked<void> delete_workspace(const std::string& name, diag::Diagnostics& diags) override {
    if (name.empty() || name == kDefaultWorkspace) {
      diags.error("Workspace cannot be deleted")
          .detail("The default workspace is always there and cannot be deleted.");
      return false;
    }
    if (!check_workspace_name(name, diags)) return false;
    std::error_code failed;
    std::filesystem::remove_all(directory_of(name), failed);
    if (!failed) return true;
    diags.error("Workspace cannot be deleted")
        .detail(fmt::format("Removing {} failed: {}.", directory_of(name), failed.message()));
    return false;
  }

  std::unique_ptr<Store> open(const std::string& workspace, diag::Diagnostics& diags) override {
    if (!check_workspace_name(workspace, diags)) return nullptr;
    if (workspace != kDefaultWorkspace) {
      const auto made = base::make_directory_of(disk_, directory_of(workspace) + "/");
      if (!made) {
        diags.error("Workspace cannot be made")
            .detail(fmt::format("Making the directory {} failed: {}.", directory_of(workspace),
                                made.error().what));
        return nullptr;
      }
    }
    return open_existing(workspace, diags);
  }

  std::vector<std::string> journals() override {
    diag::Diagnostics ignored;  // where no workspaces can be listed, none has journals
    std::vector<std::string> found;
    for (const std::string& name : workspaces(ignored).value_or(std::vector<std::string>())) {
      const auto of_workspace =
          existing_journals(disk_, {local_paths(settings_, name).write + ".journal"});
      found.insert(found.end(), of_workspace.begin(), of_workspace.end());
    }
    return found;
  }

  std::unique_ptr<Store> open_existing(const std::string& workspace,
                                       diag::Diagnostics& diags) override {
    if (!check_workspace_name(workspace, diags)) return nullptr;
    return open_local_store(local_paths(settings_, workspace), settings_.version, encryption_,
                            settings_.note, disk_);
  }

 private:
  std::string directory_of(const std::string& workspace) const {
    return (std::filesystem::path(settings_.workspace_directory) / workspace).string();
  }

  LocalSettings settings_;
  const state::Encryption& encryption_;
  base::Disk& disk_;
};

const schema::Block& local_schema() {
  static const schema::Block kSchema = settings_schema(
      {{.name = "path", .about = "The file of the default workspace's state."},
       {.name = "workspace_dir", .about = "The directory of the states of other workspaces."}});
  return kSchema;
}

bool check_local(const value::Value& values, const net::EnvironmentVariable& environment,
                 diag::Diagnostics& diags) {
  const Settings settings("local", values, environment, diags);
  // The sentences are OpenTofu's: tests of providers look for them.
  for (const std::string_view name : {"path", "workspace_dir"}) {
    if (!settings.has(name) || !settings.text(name).empty()) continue;
    diags
        .error(name == "path" ? "Invalid local state file path"
                              : "Invalid local workspace directory path")
        .detail(fmt::format("The \"{}\" attribute value must not be empty.", name));
  }
  return settings.ok();
}

std::unique_ptr<Backend> open_local(const value::Value& values, const BackendContext& context,
                                    diag::Diagnostics& diags) {
  const Settings settings("local", values, context.environment, diags);
  LocalSettings local{.state_override = context.state_override,
                      .state_out_override = context.state_out_override,
                      .backup_override = context.backup_override,
                      .version = context.version,
                      .note = context.note};
  local.path = settings.text("path", {}, local.path);
  local.workspace_directory = settings.text("workspace_dir", {}, local.workspace_directory);
  return make_local_backend(std::move(local), context.encryption, context.disk);
}

}  // namespace

LocalPaths local_paths(const LocalSettings& settings, const std::string& workspace) {
  LocalPaths paths;
  paths.read = settings.state_override;
  if (paths.read.empty() && workspace == kDefaultWorkspace) paths.read = settings.path;
  if (paths.read.empty()) {
    paths.read =
        (std::filesystem::path(settings.workspace_directory) / workspace / "terraform.tfstate")
            .string();
  }
  paths.write = settings.state_out_override.empty() ? paths.read : settings.state_out_override;
  if (settings.backup_override.empty()) {
    paths.backup = paths.write + ".backup";
  } else if (settings.backup_override != "-") {
    paths.backup = settings.backup_override;
  }
  return paths;
}

std::unique_ptr<Backend> make_local_backend(LocalSettings settings,
                                            const state::Encryption& encryption, base::Disk& disk) {
  return std::make_unique<LocalBackend>(std::move(settings), encryption, disk);
}

std::unique_ptr<Store> open_local_store(LocalPaths paths, std::string version,
                                        const state::Encryption& encryption,
                                        std::function<void(const std::string&)> note,
                                        base::Disk& disk) {
  return std::make_unique<LocalStore>(std::move(paths), std::move(version), encryption,
                                      std::move(note), disk);
}

const Kind kLocalKind = {"local", local_schema, check_local, open_local};

}  // namespace tofu::backends
