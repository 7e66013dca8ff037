#include "fetch/hg_fetch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include "archive/package_links.h"
#include "archive/tree_copy.h"
#include "base/ascii.h"
#include "base/file.h"
#include "base/quotation.h"
#include "fetch/git_program.h"
#include "fetch/git_source.h"
#include "fetch/source_query.h"
#include "net/redaction.h"
#include "process/process.h"

namespace tofu::fetch {

namespace {

struct Hg {
  const Fetching& fetching;
  std::vector<std::string> secrets;

  base::Result<std::string> run(std::vector<std::string> arguments,
                                const std::string& directory = {},
                                std::function<bool(std::string_view)> on_output = {}) const {
    process::GuardedProcess process;
    // Subrepositories would be fetched from wherever the package says.
    process.arguments = {"hg", "--noninteractive", "--config", "subrepos.allowed=false"};
    const std::string doing = arguments.front();
    std::ranges::move(arguments, std::back_inserter(process.arguments));
    process.directory = directory;
    process.environment = {{"HGPLAIN", "1"}, {"LC_ALL", "C.UTF-8"}};
    process.without = {"HG"};
    process.stop = fetching.stop;
    process.log = fetching.web.log();
    process.file_limit = fetching.limits.download_bytes;
    process.on_output = std::move(on_output);
    auto done = process::run_guarded(process);
    if (!done) {
      if (fetching.stop.stop_requested()) return base::Error{"interrupted"};
      return base::Error{fmt::format(
          "the program hg (Mercurial), which is needed for this source, did not work: {}",
          done.error().what)};
    }
    if (done->exit_status == 0) return std::move(done->output);
    return base::Error{fmt::format("hg {} failed with status {}: {}", doing, done->exit_status,
                                   base::without_full_stop(net::redact(done->errors, secrets)))};
  }
};

base::Result<void> check_url(const base::Url& url, bool untrusted) {
  const bool web = url.scheme == "https" || url.scheme == "http" || url.scheme == "ssh";
  if (!web && (url.scheme != "file" || untrusted)) {
    return base::Error{fmt::format("a Mercurial repository cannot be fetched by \"{}\"{}",
                                   url.scheme, untrusted ? " for a remote package" : "")};
  }
  if (url.host.starts_with('-') || url.userinfo.starts_with('-')) {
    return base::Error{"the address starts with a dash, like an option of a program"};
  }
  // It becomes a line of a configuration file.
  const std::string text = url.to_string();
  if (std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; })) {
    return base::Error{"the address has a control character in it"};
  }
  return {};
}

// A repository that is gone when the package is there.
class Repository {
 public:
  explicit Repository(std::string path) : path_(std::move(path)) {}
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;
  ~Repository() { (void)archive::remove_tree(path_).ok(); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Brings the revision into a new repository; all of it if it is not the name of one.
// Returns a name that it has there. The address goes into the repository's configuration,
// not among the arguments of hg, which every user of the machine can see.
base::Result<std::string> pull(const Hg& hg, const Repository& repository, const base::Url& url,
                               const std::string& revision) {
  if (auto made = hg.run({"init", "--", repository.path()}); !made) return made;
  std::vector<std::string> arguments = {"pull"};
  const bool is_name = revision.find_first_of("~^") == std::string::npos;
  if (is_name && !revision.empty()) arguments.insert(arguments.end(), {"--rev", revision});
  if (url.scheme == "file") {
    arguments.insert(arguments.end(), {"--", url.decoded_path()});
  } else {
    const auto written = base::write_private_file(
        repository.path() + "/.hg/hgrc", fmt::format("[paths]\ndefault = {}\n", url.to_string()));
    if (!written) return written.error();
  }
  if (auto pulled = hg.run(std::move(arguments), repository.path()); !pulled) return pulled;
  if (revision.empty()) return std::string("default");
  // Pulling fetches that revision and its ancestors.
  return is_name ? std::string("tip") : revision;
}

// How many files there are; an error if they are too many or too large to be written.
base::Result<std::uint64_t> count_files(const Hg& hg, const Repository& repository,
                                        const std::string& commit) {
  const archive::FetchLimits& limits = hg.fetching.limits;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t size = 0;
  const auto is_too_much = [&] { return files > limits.files || bytes > limits.unpacked_bytes; };
  const auto listed = hg.run({"files", "--rev", commit, "--template", "{size}\n"},
                             repository.path(), [&](std::string_view text) {
                               for (const char c : text) {
                                 if (base::is_ascii_digit(c)) {
                                   size = size * 10 + static_cast<std::uint64_t>(c - '0');
                                   continue;
                                 }
                                 bytes += std::exchange(size, 0);
                                 ++files;
                                 if (is_too_much()) return false;
                               }
                               return true;
                             });
  if (is_too_much()) {
    return base::Error{
        fmt::format("it has more than {} files or {} bytes", limits.files, limits.unpacked_bytes)};
  }
  // Without any file, hg says that it found none.
  if (!listed && listed.error().what.find("status 1:") == std::string::npos) return listed.error();
  return files;
}

}  // namespace

base::Result<FetchedPackage> fetch_hg(const Fetching& fetching, const FetchRequest& request) {
  auto url = parse_package_url(request.address);
  if (!url) return url.error();
  if (auto checked = check_url(*url, request.untrusted); !checked) return checked.error();
  const std::string named = take_argument(*url, "rev");
  const std::string revision = request.revision.empty() ? named : request.revision;
  if (!revision.empty() && !is_valid_revision(revision)) {
    return base::Error{"the rev is not the name of a branch, tag or commit"};
  }
  const Hg hg{fetching, secrets_of(*url)};
  const Repository repository(request.into + ".repository");
  const auto name = pull(hg, repository, *url, revision);
  if (!name) return name.error();
  auto commit = hg.run({"log", "--rev", *name, "--template", "{node}"}, repository.path());
  if (!commit && revision.empty()) {  // no branch of the usual name
    commit = hg.run({"log", "--rev", "tip", "--template", "{node}"}, repository.path());
  }
  if (!commit) return commit.error();
  const auto files = count_files(hg, repository, *commit);
  if (!files) return files.error();
  if (::mkdir(request.into.c_str(), 0755) != 0) return base::Error{std::strerror(errno)};
  const auto into = base::real_path(request.into);
  if (!into) return into.error();
  // The files as they are: an update would send them through filters of the user's
  // configuration.
  if (*files != 0) {
    const auto written = hg.run({"archive", "--rev", *commit, "--no-decode", "--type", "files",
                                 "--config", "ui.archivemeta=false", "--", *into},
                                repository.path());
    if (!written) return written.error();
  }
  if (auto checked = archive::check_package(request.into, fetching.limits, fetching.stop);
      !checked) {
    return checked.error();
  }
  return FetchedPackage{.revision = std::move(*commit)};
}

}  // namespace tofu::fetch
