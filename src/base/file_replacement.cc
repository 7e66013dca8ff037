#include "base/file_replacement.h"

#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <utility>

#include "base/descriptor.h"

namespace tofu::base {

namespace {

constexpr std::string_view kTemporary = ".tmp";

// Which process made a temporary file for `target`; both are names without directories.
std::optional<std::int64_t> maker_of(std::string_view name, std::string_view target) {
  if (!name.starts_with(target)) return std::nullopt;
  name.remove_prefix(target.size());
  if (!name.starts_with(kTemporary)) return std::nullopt;
  name.remove_prefix(kTemporary.size());
  std::int32_t process = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), process);
  const std::string_view rest(parsed.ptr, name.data() + name.size());
  const bool is_ours = parsed.ec == std::errc() && process > 0 && rest.size() > 1 &&
                       rest.front() == '-' &&
                       rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return is_ours ? std::optional<std::int64_t>(process) : std::nullopt;
}

}  // namespace

void remove_abandoned_replacements(Disk& disk, const std::string& path,
                                   std::chrono::seconds unchanged_for) {
  // Renaming over a link would replace the link, so its target is written.
  const std::string target = disk.target_of(path);
  const std::size_t slash = target.rfind('/');
  const std::string directory = slash == std::string::npos ? "" : target.substr(0, slash + 1);
  const std::string name = target.substr(directory.size());
  const auto names = disk.names_in(directory.empty() ? "." : directory);
  if (!names) return;
  for (const std::string& found : *names) {
    const auto maker = maker_of(found, name);
    if (!maker || disk.is_running(*maker)) continue;
    const std::string temporary = directory + found;
    // A link may point to a file that is not ours.
    if (disk.target_of(temporary) != temporary) continue;
    const auto info = disk.info(temporary);
    if (!info || !S_ISREG(info->mode)) continue;
    if (disk.now() - info->seconds >= unchanged_for.count()) (void)disk.remove(temporary).ok();
  }
}

Result<FileReplacement> FileReplacement::begin(Disk& disk, const std::string& path,
                                               std::uint32_t mode, Permissions permissions) {
  std::string target = disk.target_of(path);
  const auto before = disk.info(target);
  if (before && !S_ISREG(before->mode)) {
    return S_ISDIR(before->mode) ? system_error(EISDIR) : Error{"not a regular file"};
  }
  if (before) {
    if (const auto writable = disk.check_writable(target); !writable) {
      return system_error(writable.error());
    }
  }

  const bool keep = before && permissions != Permissions::New;
  // Unique by process and attempt; OpenMode::Create makes sure of it.
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string temporary = target + std::string(kTemporary) + std::to_string(disk.process()) +
                            "-" + std::to_string(attempt);
    auto file = disk.open(temporary, OpenMode::Create, keep ? 0600 : mode);
    if (!file) {
      if (file.error().value == EEXIST) continue;
      return system_error(file.error());
    }
    FileReplacement made(disk, std::move(target), std::move(temporary), std::move(*file));
    if (keep) {
      const auto kept = made.file_->take_attributes_of(made.target_, permissions);
      if (!kept) return system_error(kept.error());
    }
    return made;
  }
  return system_error(EEXIST);
}

void FileReplacement::take_owner_of(const std::string& path) { file_->take_owner_of(path); }

FileReplacement::~FileReplacement() {
  if (!temporary_.empty()) (void)disk_->remove(temporary_).ok();
}

Result<void> FileReplacement::append(std::string_view content) {
  is_synced_ = false;
  if (const auto written = write_all(*file_, content); !written) {
    return system_error(written.error());
  }
  return {};
}

Result<void> FileReplacement::sync() {
  if (!is_synced_) {
    if (const auto synced = file_->sync(); !synced) return system_error(synced.error());
  }
  is_synced_ = true;
  return {};
}

Result<void> FileReplacement::commit(Sync sync) {
  if (sync == Sync::Yes) {
    if (auto synced = this->sync(); !synced) return synced;
  }
  if (const auto renamed = disk_->rename(temporary_, target_); !renamed) {
    return system_error(renamed.error());
  }
  temporary_.clear();
  if (sync == Sync::No) return {};
  const auto synced = sync_directory_of(*disk_, target_);
  return synced ? Result<void>() : system_error(synced.error());
}

}  // namespace tofu::base
