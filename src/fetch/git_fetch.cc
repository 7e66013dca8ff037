#include "fetch/git_fetch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/package_links.h"
#include "archive/tree_copy.h"
#include "archive/tree_walk.h"
#include "base/ascii.h"
#include "fetch/git_program.h"
#include "fetch/git_repository.h"
#include "fetch/git_source.h"

namespace tofu::fetch {

namespace {

// A name as branches and tags have it, which stands for nothing else when given to
// `git fetch`: the rules of git check-ref-format, and no refspec.
bool is_plain_name(std::string_view text) {
  if (text.empty() || text == "@" || text.ends_with('.') || text.ends_with('/') ||
      text.ends_with(".lock") || text.starts_with('/') || text.starts_with('+')) {
    return false;
  }
  constexpr std::string_view kNever = "~^:?*[\\ ";
  if (text.find_first_of(kNever) != std::string_view::npos) return false;
  for (const std::string_view bad : {"..", "//", "@{", "/.", ".lock/"}) {
    if (text.find(bad) != std::string_view::npos) return false;
  }
  return !text.starts_with('.');
}

// Whether trying once more, and asking for everything, could help: not if there was
// no connection, or no permission.
bool is_worth_another_try(std::string_view errors) {
  for (const std::string_view hopeless :
       {"Could not read from remote repository", "Authentication failed", "unable to access",
        "could not read Username", "could not read Password", "Could not resolve host",
        "does not appear to be a git repository", "transport '", "did not work", "interrupted"}) {
    if (errors.find(hopeless) != std::string_view::npos) return false;
  }
  return true;
}

base::Result<std::string> resolve(const GitProgram& git, const std::string& name) {
  auto found =
      git.run({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (!found) return found;
  while (!found->empty() && found->back() == '\n') found->pop_back();
  if (!is_object_name(*found)) return base::Error{"git named no commit"};
  return found;
}

constexpr std::string_view kMissingRevision = "the repository has no branch, tag or commit ";

// Everything that has a name, and the revision among it.
base::Result<std::string> fetch_all(const GitProgram& git, const GitSource& source) {
  std::vector<std::string> arguments = {"fetch",
                                        "--quiet",
                                        "--no-tags",
                                        "--no-recurse-submodules",
                                        "--end-of-options",
                                        "origin",
                                        "+refs/heads/*:refs/remotes/origin/*",
                                        "+refs/tags/*:refs/tags/*"};
  if (source.revision.starts_with("HEAD")) {
    arguments.emplace_back("+HEAD:refs/remotes/origin/HEAD");
  }
  auto fetched = git.run(std::move(arguments));
  if (!fetched) return fetched;
  for (const char* prefix : {"", "refs/remotes/origin/", "refs/tags/"}) {
    auto commit = resolve(git, prefix + source.revision);
    if (commit) return commit;
  }
  return base::Error{fmt::format("{}\"{}\"", kMissingRevision, source.revision)};
}

// Compression costs most of the time when nothing crosses a network.
constexpr const char* kPackPlainly =
    "--upload-pack=git -c core.compression=0 -c pack.window=0 upload-pack";

// Brings the commit into the repository: alone, if the server gives it so. Returns a
// name that it has there.
base::Result<std::string> fetch_commit(const GitProgram& git, const GitSource& source) {
  const std::string wanted = source.revision.empty() ? "HEAD" : source.revision;
  if (!is_plain_name(wanted)) return fetch_all(git, source);
  std::vector<std::string> arguments = {"fetch", "--quiet", "--no-tags", "--no-recurse-submodules"};
  if (source.origin.alternates.empty()) {
    arguments.emplace_back("--depth=1");
    if (source.origin.url.starts_with("file://")) arguments.emplace_back(kPackPlainly);
  }
  for (const std::string_view last : {"--end-of-options", "origin"}) arguments.emplace_back(last);
  arguments.push_back(wanted);
  const auto fetched = git.run(std::move(arguments));
  if (fetched) return std::string("FETCH_HEAD");
  if (source.revision.empty() || !is_worth_another_try(fetched.error().what)) {
    return fetched.error();
  }
  return fetch_all(git, source);
}

// Looks at the list of files before they are written: a few small objects can stand
// for a billion files.
class TreeMeter {
 public:
  explicit TreeMeter(const archive::FetchLimits& limits) : limits_(limits) {}

  // Takes "MODE TYPE ID SIZE\tPATH", each ended by a zero; false if it is too much.
  bool take(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\0'), text.size());
      if (line_.size() < kEnough) line_ += text.substr(0, std::min(end, kEnough));
      if (end == text.size()) return true;
      text.remove_prefix(end + 1);
      count();
      line_.clear();
      if (files_ > limits_.files || bytes_ > limits_.unpacked_bytes) return false;
    }
    return true;
  }

  bool has_submodules() const { return submodules_; }
  bool lacks_files() const { return missing_; }
  bool is_too_much() const { return files_ > limits_.files || bytes_ > limits_.unpacked_bytes; }

 private:
  static constexpr std::size_t kEnough = 128;

  void count() {
    ++files_;
    if (line_.starts_with("160000 ")) submodules_ = true;
    std::size_t at = 0;
    for (int blanks = 0; blanks < 3 && at < line_.size(); ++at) blanks += line_[at] == ' ';
    while (at < line_.size() && line_[at] == ' ') ++at;
    if (std::string_view(line_).substr(at).starts_with("BAD")) missing_ = true;
    std::uint64_t size = 0;
    for (; at < line_.size() && base::is_ascii_digit(line_[at]); ++at) {
      size = size * 10 + static_cast<std::uint64_t>(line_[at] - '0');
    }
    bytes_ += size;
  }

  const archive::FetchLimits& limits_;
  std::string line_;
  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
  bool submodules_ = false;
  bool missing_ = false;
};

// Only the files stay: the repository, and what ties submodules to it, goes.
base::Result<void> remove_repositories(const std::string& directory, bool has_submodules) {
  if (auto removed = archive::remove_tree(directory + "/.git"); !removed) return removed;
  if (!has_submodules) return {};
  const auto tree = archive::open_tree(directory, archive::FollowTop::No);
  if (!tree) return tree.error();
  const auto directories = archive::list_tree(*tree);
  if (!directories) return directories.error();
  for (const archive::TreeDirectory& each : *directories) {
    for (const archive::TreeEntry& entry : each.entries) {
      if (entry.name != ".git") continue;
      if (auto removed = archive::remove_tree(directory + "/" + each.path_of(entry)); !removed) {
        return removed;
      }
    }
  }
  return {};
}

// A commit that is there with all its files.
struct Arrival {
  std::string name;  // for git
  bool has_submodules = false;
};

base::Result<Arrival> fetch_once(const GitProgram& git, const Fetching& fetching,
                                 const std::string& into, const GitSource& source) {
  if (auto made = make_repository(into, source.origin); !made) return made.error();
  const auto name = fetch_commit(git, source);
  if (!name) return name.error();
  TreeMeter meter(fetching.limits);
  const auto listed = git.run({"ls-tree", "-r", "-l", "-z", "--full-tree", *name},
                              [&](std::string_view text) { return meter.take(text); });
  if (meter.is_too_much()) {
    return base::Error{fmt::format("it has more than {} files or {} bytes", fetching.limits.files,
                                   fetching.limits.unpacked_bytes)};
  }
  if (!listed) return listed.error();
  if (meter.lacks_files()) return base::Error{"the repository lacks files of the commit"};
  return Arrival{*name, meter.has_submodules()};
}

// Tries again with what a failure suggests: other hashes, or objects that are sent
// because the alternates lack some.
base::Result<Arrival> fetch_with_fallbacks(const GitProgram& git, const Fetching& fetching,
                                           const std::string& into, GitSource source) {
  auto arrival = fetch_once(git, fetching, into, source);
  if (!arrival && arrival.error().what.find("mismatched algorithms") != std::string::npos) {
    source.origin.hash = GitHash::Sha256;
    arrival = fetch_once(git, fetching, into, source);
  }
  if (!arrival && !source.origin.alternates.empty() && !fetching.stop.stop_requested()) {
    source.origin.alternates.clear();
    arrival = fetch_once(git, fetching, into, source);
  }
  return arrival;
}

// Fetches and checks out what the commit names of other repositories.
base::Result<void> add_submodules(GitProgram& git, const Fetching& fetching,
                                  const std::string& into) {
  // Their addresses come from the package, independent of its own source.
  git.allow_only(transports_from_elsewhere(fetching));
  // git does all of it at once, so their size is only known while they are written.
  // There may be as much again in their repositories.
  bool too_much = false;
  std::string unmeasured;
  git.watch([&] {
    const auto size = archive::tree_size(into);
    if (!size) unmeasured = size.error().what;
    too_much = size && (size->files > 2 * fetching.limits.files ||
                        size->bytes > 2 * fetching.limits.unpacked_bytes);
    return size && !too_much;
  });
  if (auto filters = git.without_filters(); !filters) return filters;
  const auto done = git.run({"submodule", "--quiet", "update", "--init", "--recursive"});
  if (too_much) {
    return base::Error{fmt::format("with its submodules it has more than {} files or {} bytes",
                                   fetching.limits.files, fetching.limits.unpacked_bytes)};
  }
  if (!done && !unmeasured.empty()) {
    return base::Error{"its size with its submodules cannot be measured: " + unmeasured};
  }
  if (!done) return done.error();
  return {};
}

// Returns the commit.
base::Result<std::string> check_out(GitProgram& git, const Fetching& fetching,
                                    const std::string& into, const Arrival& arrival) {
  auto done = git.run({"checkout", "--quiet", "--force", "--detach", arrival.name, "--"});
  if (!done) return done;
  auto commit = checked_out_commit(into);
  if (!commit) return commit;
  if (arrival.has_submodules) {
    if (auto added = add_submodules(git, fetching, into); !added) return added.error();
  }
  if (auto removed = remove_repositories(into, arrival.has_submodules); !removed) {
    return removed.error();
  }
  return commit;
}

}  // namespace

base::Result<FetchedPackage> fetch_git(const Fetching& fetching, const FetchRequest& request) {
  const auto source = read_git_source(fetching, request);
  if (!source) return source.error();
  if (::mkdir(request.into.c_str(), 0755) != 0) return base::Error{std::strerror(errno)};

  auto session = open_git(fetching, request, *source);
  if (!session) return session.error();
  GitProgram& git = session->program;
  const auto arrival = fetch_with_fallbacks(git, fetching, request.into, *source);
  if (!arrival) return arrival.error();
  const auto commit = check_out(git, fetching, request.into, *arrival);
  if (!commit) return commit.error();
  if (!request.revision.empty() && *commit != request.revision) {
    return base::Error{
        fmt::format("the repository gave the commit {} instead of {}", *commit, request.revision)};
  }
  if (auto checked = archive::check_package(request.into, fetching.limits, fetching.stop);
      !checked) {
    return checked.error();
  }
  return FetchedPackage{.revision = *commit};
}

bool is_missing_revision(const base::Error& error) {
  return error.what.find(kMissingRevision) != std::string::npos;
}

}  // namespace tofu::fetch
