#include "install/hg_fetch.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/process.h"
#include "install/git_fetch.h"
#include "install/git_program.h"
#include "install/package_links.h"
#include "install/source_query.h"
#include "install/tree_copy.h"

namespace tofu::install {

namespace {

struct Hg {
  const Fetching& fetching;
  std::vector<std::string> secrets;

  base::Result<std::string> run(std::vector<std::string> arguments,
                                const std::string& directory = {}) const {
    base::GuardedProcess process;
    // Subrepositories would be fetched from wherever the package says.
    process.arguments = {"hg", "--noninteractive", "--config", "subrepos.allowed=false"};
    const std::string doing = arguments.front();
    std::ranges::move(arguments, std::back_inserter(process.arguments));
    process.directory = directory;
    process.environment = {{"HGPLAIN", "1"}, {"LC_ALL", "C.UTF-8"}};
    process.without = {"HG"};
    process.cancelled = &fetching.cancelled;
    process.file_limit = fetching.limits.download_bytes;
    auto done = base::run_guarded(process);
    if (!done) {
      if (fetching.cancelled) return base::Error{"interrupted"};
      return base::Error{fmt::format(
          "the program hg (Mercurial), which is needed for this source, did not work: {}",
          done.error().what)};
    }
    if (done->exit_status == 0) return std::move(done->output);
    return base::Error{fmt::format("hg {} failed with status {}: {}", doing, done->exit_status,
                                   redact(done->errors, secrets))};
  }
};

base::Result<void> check_url(const PackageUrl& url, bool from_elsewhere) {
  const bool web = url.scheme == "https" || url.scheme == "http" || url.scheme == "ssh";
  if (!web && (url.scheme != "file" || from_elsewhere)) {
    return base::Error{
        fmt::format("a Mercurial repository cannot be fetched by \"{}\"{}", url.scheme,
                    from_elsewhere ? " for a package that came from elsewhere" : "")};
  }
  if (url.host.starts_with('-') || url.userinfo.starts_with('-')) {
    return base::Error{"the address begins like an option of a program"};
  }
  return {};
}

}  // namespace

base::Result<FetchedPackage> fetch_hg(const Fetching& fetching, const FetchRequest& request) {
  auto url = parse_package_url(request.source.package);
  if (!url) return url.error();
  if (auto checked = check_url(*url, request.from_elsewhere); !checked) return checked.error();
  const std::string named = url->take("rev");
  const std::string revision = request.revision.empty() ? named : request.revision;
  if (!revision.empty() && !is_sound_revision(revision)) {
    return base::Error{"the rev is no name of a branch, tag or commit"};
  }
  Hg hg{fetching, {url->userinfo, url->password()}};
  const std::string from = url->scheme == "file" ? url->plain_path() : url->text();
  if (auto cloned = hg.run({"clone", "--noupdate", "--pull", "--", from, request.into}); !cloned) {
    return cloned.error();
  }
  std::vector<std::string> update = {"update", "--clean", "--"};
  if (!revision.empty()) update.push_back(revision);
  if (auto updated = hg.run(std::move(update), request.into); !updated) return updated.error();
  auto commit = hg.run({"log", "--rev", ".", "--template", "{node}"}, request.into);
  if (!commit) return commit.error();
  if (auto removed = remove_tree(request.into + "/.hg"); !removed) return removed.error();
  if (auto checked = check_package(request.into, fetching.limits, fetching.cancelled); !checked) {
    return checked.error();
  }
  return FetchedPackage{.revision = std::move(*commit)};
}

}  // namespace tofu::install
