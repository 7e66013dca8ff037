#include "cloud/packing.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include "archive/tar_writer.h"
#include "base/file.h"
#include "cloud/ignore_rules.h"

namespace tofu::cloud {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxNesting = 64;  // of links that lead outside
constexpr std::uint64_t kMaxIgnoreFileSize = std::uint64_t{1} << 20;

bool is_inside(const fs::path& path, const fs::path& root) {
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  (void)rest;
  return end == root.end();
}

class Packing {
 public:
  Packing(fs::path root, IgnoreRules rules, archive::TarWriter writer)
      : root_(std::move(root)), rules_(std::move(rules)), writer_(std::move(writer)) {}

  // Everything below `from`, which is called `as` in the archive (empty for the top).
  base::Result<void> add_all(const fs::path& from, const std::string& as, int nesting);
  base::Result<Packed> finish() {
    auto bytes = writer_.finish();
    if (!bytes) return bytes.error();
    return Packed{std::move(*bytes), files_};
  }

 private:
  base::Result<void> add(const fs::path& from, const std::string& as, int nesting);
  base::Result<void> add_file(const fs::path& from, const archive::PackedEntry& entry);
  base::Result<void> add_link(const fs::path& from, const archive::PackedEntry& entry, int nesting);

  fs::path root_;
  IgnoreRules rules_;
  archive::TarWriter writer_;
  std::uint64_t bytes_ = 0;
  std::size_t files_ = 0;
};

base::Error cannot(std::string_view verb, const fs::path& path, const std::string& why) {
  return {fmt::format("{} {} failed: {}", verb, path.string(), why)};
}

base::Result<void> Packing::add_file(const fs::path& from, const archive::PackedEntry& entry) {
  const auto content = base::read_file(from.string());
  if (!content) return cannot("reading", from, content.error().what);
  bytes_ += content->size();
  ++files_;
  if (bytes_ > kMaxConfigurationSize) {
    return base::Error{
        "the directory is too large to upload; exclude files with a .terraformignore file"};
  }
  return writer_.add_file(entry, *content);
}

base::Result<void> Packing::add_link(const fs::path& from, const archive::PackedEntry& entry,
                                     int nesting) {
  std::error_code failed;
  const fs::path target = fs::read_symlink(from, failed);
  if (failed) return cannot("reading", from, failed.message());
  const fs::path absolute =
      (target.is_absolute() ? target : from.parent_path() / target).lexically_normal();
  if (is_inside(absolute, root_)) {
    // Relative, since the directory is called otherwise where it is unpacked.
    return writer_.add_link(entry, absolute.lexically_relative(from.parent_path()).string());
  }
  if (nesting >= kMaxNesting) return cannot("following", from, "links lead to links");
  const fs::path real = fs::canonical(absolute, failed);
  if (failed) return cannot("following", from, failed.message());
  const fs::file_status status = fs::status(real, failed);
  if (failed) return cannot("following", from, failed.message());
  if (fs::is_directory(status)) {
    if (auto made = writer_.add_directory({entry.path + "/", 0755, entry.time}); !made) return made;
    return add_all(real, entry.path, nesting + 1);
  }
  if (!fs::is_regular_file(status)) return {};
  return add_file(real,
                  {entry.path, static_cast<unsigned>(status.permissions()) & 0777U, entry.time});
}

base::Result<void> Packing::add(const fs::path& from, const std::string& as, int nesting) {
  struct stat about {};
  if (::lstat(from.c_str(), &about) != 0) return {};  // it is gone
  const bool is_directory = S_ISDIR(about.st_mode);
  bool is_listed = !rules_.check(as).is_excluded;
  if (!is_directory && !is_listed) return {};
  // A directory that is excluded may hold something that a later rule takes back.
  if (is_directory && is_listed) {
    const auto verdict = rules_.check(as + "/");
    if (verdict.is_final) return {};
    is_listed = !verdict.is_excluded;
  }
  const archive::PackedEntry entry{as, about.st_mode & 0777U, about.st_mtime};
  if (S_ISREG(about.st_mode)) return add_file(from, entry);
  if (S_ISLNK(about.st_mode)) return add_link(from, entry, nesting);
  if (!is_directory) return {};
  if (is_listed) {
    if (auto made = writer_.add_directory({as + "/", entry.mode, entry.time}); !made) return made;
  }
  return add_all(from, as, nesting);
}

base::Result<void> Packing::add_all(const fs::path& from, const std::string& as, int nesting) {
  auto entries = base::list_directory(from.string());
  if (!entries) return cannot("reading", from, entries.error().what);
  std::ranges::sort(*entries, {}, &base::DirectoryEntry::name);
  for (const base::DirectoryEntry& entry : *entries) {
    const std::string path = as.empty() ? entry.name : as + "/" + entry.name;
    if (auto added = add(from / entry.name, path, nesting); !added) return added;
  }
  return {};
}

}  // namespace

base::Result<Packed> pack_directory(const std::string& directory) {
  const std::string ignore_path = directory + "/.terraformignore";
  std::string text;
  const auto kind = base::file_kind(ignore_path);
  if (kind && *kind != base::FileKind::Missing) {
    auto read = base::read_file(ignore_path, kMaxIgnoreFileSize);
    if (!read) return cannot("reading", ignore_path, read.error().what);
    text = std::move(*read);
  }
  auto rules = IgnoreRules::read(text);
  if (!rules) return rules.error();
  auto writer = archive::TarWriter::create();
  if (!writer) return writer.error();
  std::error_code failed;
  const fs::path root = fs::canonical(directory, failed);
  if (failed) return cannot("reading", directory, failed.message());
  Packing packing(root, std::move(*rules), std::move(*writer));
  if (auto added = packing.add_all(root, "", 0); !added) return added.error();
  return packing.finish();
}

base::Result<Packed> pack_nothing(const std::string& path) {
  auto writer = archive::TarWriter::create();
  if (!writer) return writer.error();
  if (!path.empty()) {
    if (auto made = writer->add_directory({path + "/", 0755, 0}); !made) return made.error();
  }
  auto bytes = writer->finish();
  if (!bytes) return bytes.error();
  return Packed{std::move(*bytes), 0};
}

}  // namespace tofu::cloud
