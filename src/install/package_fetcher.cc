#include "install/package_fetcher.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <variant>

#include "base/file.h"
#include "install/archive_source.h"
#include "install/direct_fetch.h"
#include "install/fetching.h"
#include "install/file_fetch.h"
#include "install/git_fetch.h"
#include "install/hg_fetch.h"
#include "install/http_fetch.h"
#include "install/object_fetch.h"
#include "install/oci_fetch.h"
#include "install/package_metadata_file.h"
#include "install/package_subdirectory.h"
#include "install/source_query.h"
#include "install/tree_copy.h"

namespace tofu::install {

namespace {

constexpr unsigned kMostDetours = 10;

base::Result<HttpAnswer> as_answer(base::Result<FetchedPackage> package) {
  if (!package) return package.error();
  return HttpAnswer(std::move(*package));
}

using Fetch = base::Result<FetchedPackage> (*)(const Fetching&, const FetchRequest&);

// A repository is the package, unless its address ends with an archive that is in
// it: git::https://example.com/repo/m.zip. What is fetched then is unpacked.
base::Result<FetchedPackage> fetch_repository(const Fetching& fetching, const FetchRequest& request,
                                              Fetch fetch) {
  auto url = parse_package_url(request.source.package);
  if (!url) return url.error();
  const std::size_t arguments = url->arguments.size();
  const auto archive = take_archive_source(*url);
  if (!archive) return archive.error();
  if (!archive->kind && url->arguments.size() == arguments) return fetch(fetching, request);
  if (!archive->kind && !archive->checksum.empty()) {
    return base::Error{"a checksum needs an archive, and a repository is none"};
  }
  FetchRequest whole = request;
  const PackageUrl file_url = *url;
  const std::size_t slash = archive->kind ? url->path.rfind('/') : std::string::npos;
  if (slash != std::string::npos) url->path.resize(slash);
  const std::string& before = request.source.package;
  whole.source = {before.substr(0, before.find("::") + 2) + url->text()};
  if (!archive->kind) return fetch(fetching, whole);
  whole.into = request.into + ".repository";
  auto package = fetch(fetching, whole);
  if (package) {
    const std::string path = file_url.plain_path();
    auto unpacked =
        unpack_fetched(fetching, request, *archive, file_url,
                       whole.into + path.substr(std::min(path.rfind('/'), path.size())));
    if (unpacked) unpacked->revision = package->revision;
    package = std::move(unpacked);
  }
  (void)remove_tree(whole.into);
  return package;
}

base::Result<HttpAnswer> fetch_once(const Fetching& fetching, const FetchRequest& request) {
  if (request.direct) return as_answer(fetch_direct(fetching, request));
  switch (addrs::kind_of(request.source)) {
    case addrs::RemoteKind::Git: return as_answer(fetch_repository(fetching, request, &fetch_git));
    case addrs::RemoteKind::Mercurial:
      return as_answer(fetch_repository(fetching, request, &fetch_hg));
    case addrs::RemoteKind::Http: return fetch_http(fetching, request);
    case addrs::RemoteKind::File: return as_answer(fetch_file(fetching, request));
    case addrs::RemoteKind::Oci: return as_answer(fetch_oci(fetching, request));
    case addrs::RemoteKind::S3: return as_answer(fetch_s3(fetching, request));
    case addrs::RemoteKind::Gcs: return as_answer(fetch_gcs(fetching, request));
    case addrs::RemoteKind::Unsupported:
      return base::Error{"packages of this kind cannot be fetched"};
  }
  base::broken_promise("every kind of source is known");
}

}  // namespace

struct PackageFetcher::Inside {
  Web& web;
  const Credentials& credentials;
  EnvironmentVariable environment;
  const std::atomic<bool>& cancelled;
  FetchLimits limits;

  Inside(Web& the_web, const Credentials& the_credentials, EnvironmentVariable the_environment,
         const std::atomic<bool>& is_cancelled, FetchLimits the_limits)
      : web(the_web),
        credentials(the_credentials),
        environment(std::move(the_environment)),
        cancelled(is_cancelled),
        limits(the_limits) {}

  // The directory that a server names (X-Terraform-Get) is the package, not what is
  // around it.
  base::Result<void> keep_only(const std::string& subdir, const std::string& into) const {
    if (subdir.empty()) return {};
    const auto found = find_subdir(into, subdir, "");
    if (!found) return found.error();
    if (look_in_package(into, *found) != config::PathInPackage::Directory) {
      return base::Error{fmt::format("it has no directory {:?}", subdir)};
    }
    const std::string whole = into + ".whole";
    if (::rename(into.c_str(), whole.c_str()) != 0) return base::Error{std::strerror(errno)};
    auto kept = copy_subdirectory(whole, *found, into, TreeContents::All, limits, cancelled);
    (void)remove_tree(whole);
    return kept;
  }

  base::Result<FetchedPackage> fetch(FetchRequest request) {
    const Fetching fetching{web, credentials, environment, cancelled, limits};
    std::string subdir;
    for (unsigned detours = 0; detours <= kMostDetours; ++detours) {
      auto answer = fetch_once(fetching, request);
      if (!answer) return answer.error();
      if (auto* package = std::get_if<FetchedPackage>(&*answer)) {
        if (auto kept = keep_only(subdir, request.into); !kept) return kept.error();
        return std::move(*package);
      }
      auto& detour = std::get<addrs::RemoteSource>(*answer);
      // Where one server sends us, the next begins; its directory holds the former's.
      if (!subdir.empty() && !detour.subdir.empty()) detour.subdir += "/";
      subdir = detour.subdir + subdir;
      request.source = {std::move(detour.package)};
      request.from_elsewhere = true;
    }
    return base::Error{"one server after the other names another source"};
  }
};

PackageFetcher::PackageFetcher(Web& web, const Credentials& credentials,
                               EnvironmentVariable environment, const std::atomic<bool>& cancelled,
                               FetchLimits limits)
    : inside_(
          std::make_unique<Inside>(web, credentials, std::move(environment), cancelled, limits)) {}
PackageFetcher::~PackageFetcher() = default;

base::Result<FetchedPackage> PackageFetcher::fetch(const FetchRequest& request) {
  const auto there = base::file_kind(request.into);
  if (!there || *there != base::FileKind::Missing) {
    return base::Error{"the directory for the package is there already"};
  }
  auto package = inside_->fetch(request);
  if (!package) (void)remove_tree(request.into);
  return package;
}

}  // namespace tofu::install
