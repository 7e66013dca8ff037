#include "fetch/git_repository.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>

#include "archive/tree_copy.h"
#include "base/file.h"
#include "base/hex.h"

namespace tofu::fetch {

namespace {

// Stronger than any attribute that a package has.
constexpr std::string_view kNoFilters = "* -filter\n";

bool is_kind(const std::string& path, base::FileKind wanted) {
  const auto kind = base::file_kind(path);
  return kind && *kind == wanted;
}

std::string configuration(const GitOrigin& origin) {
  const bool sha256 = origin.hash == GitHash::Sha256;
  std::string text =
      fmt::format("[core]\n\trepositoryformatversion = {}\n\tbare = false\n{}", sha256 ? 1 : 0,
                  sha256 ? "[extensions]\n\tobjectFormat = sha256\n" : "");
  text += "[remote \"origin\"]\n\turl = \"";
  for (const char c : origin.url) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"\n";
}

}  // namespace

base::Result<void> make_repository(const std::string& directory, const GitOrigin& origin) {
  const std::string root = directory + "/.git";
  if (auto removed = archive::remove_tree(root); !removed) return removed;
  for (const char* part :
       {"", "/objects", "/objects/info", "/refs", "/info", "/template", "/template/info"}) {
    if (::mkdir((root + part).c_str(), 0755) != 0) return base::Error{std::strerror(errno)};
  }
  // Nothing of it has to outlive this process.
  const auto write = [&](const char* name, std::string_view text) {
    return base::write_file(root + name, text, 0600, base::Sync::No);
  };
  if (auto written = write("/HEAD", "ref: refs/heads/main\n"); !written) return written;
  if (auto written = write("/config", configuration(origin)); !written) return written;
  for (const char* attributes : {"/info/attributes", "/template/info/attributes"}) {
    if (auto written = write(attributes, kNoFilters); !written) return written;
  }
  if (origin.alternates.empty()) return {};
  return write("/objects/info/alternates", origin.alternates + "\n");
}

std::string alternates_for(const base::Url& url) {
  if (url.scheme != "file" || !url.host.empty() || !url.query.empty()) return {};
  const std::string path = url.decoded_path();
  // It becomes a line of a file.
  if (!path.starts_with('/') || path.find('\n') != std::string::npos) return {};
  // Where git looks first. A file .git that leads elsewhere is left to git.
  std::string root = path + "/.git";
  if (is_kind(root, base::FileKind::Missing)) root = path;
  if (!is_kind(root + "/HEAD", base::FileKind::Regular)) return {};
  if (!is_kind(root + "/objects", base::FileKind::Directory)) return {};
  // A part of a history has commits whose parents are missing.
  if (!is_kind(root + "/shallow", base::FileKind::Missing)) return {};
  return root + "/objects";
}

base::Result<std::string> checked_out_commit(const std::string& directory) {
  auto commit = base::read_file(directory + "/.git/HEAD");
  if (!commit) return commit;
  while (!commit->empty() && commit->back() == '\n') commit->pop_back();
  if (!is_object_name(*commit)) return base::Error{"git checked out no commit"};
  return commit;
}

bool is_object_name(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         std::ranges::all_of(text, [](char c) { return base::hex_digit(c) >= 0; });
}

}  // namespace tofu::fetch
