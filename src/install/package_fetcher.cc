#include "install/package_fetcher.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <variant>

#include "archive/tree_copy.h"
#include "base/file.h"
#include "fetch/fetch.h"
#include "fetch/source_query.h"
#include "install/package_metadata_file.h"
#include "install/package_subdirectory.h"

namespace tofu::install {

namespace {

constexpr unsigned kMaxRedirects = 10;
constexpr std::string_view kModulePackage = "application/vnd.opentofu.modulepkg";

}  // namespace

struct PackageFetcher::Impl {
  net::Web& web;
  const net::Credentials& credentials;
  net::EnvironmentVariable environment;
  std::stop_token stop;
  archive::FetchLimits limits;

  Impl(net::Web& the_web, const net::Credentials& the_credentials,
       net::EnvironmentVariable the_environment, const std::stop_token& with_stop,
       archive::FetchLimits the_limits)
      : web(the_web),
        credentials(the_credentials),
        environment(std::move(the_environment)),
        stop(with_stop),
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
    auto kept = copy_subdirectory(whole, *found, into, archive::TreeContents::All, limits, stop);
    (void)archive::remove_tree(whole);
    return kept;
  }

  base::Result<fetch::FetchedPackage> fetch(fetch::FetchRequest request) const {
    const fetch::Fetching fetching{web, credentials, environment, stop, limits};
    std::string subdir;
    for (unsigned detours = 0; detours <= kMaxRedirects; ++detours) {
      auto answer = fetch::fetch_package(fetching, request);
      if (!answer) return answer.error();
      if (auto* package = std::get_if<fetch::FetchedPackage>(&*answer)) {
        auto kept = keep_only(subdir, request.into);
        if (kept) return std::move(*package);
        (void)archive::remove_tree(request.into);
        return kept.error();
      }
      const auto named =
          addrs::parse_module_source(std::get<fetch::SourceRedirect>(*answer).source);
      const auto* remote = named ? std::get_if<addrs::RemoteSource>(&*named) : nullptr;
      if (remote == nullptr) return base::Error{"the server named a source that is not a URL"};
      // Where one server sends us, the next begins; its directory holds the former's.
      const bool both = !subdir.empty() && !remote->subdir.empty();
      subdir = remote->subdir + (both ? "/" : "") + subdir;
      request.address = remote->package;
      request.untrusted = true;
    }
    return base::Error{"too many servers in a row name another source"};
  }
};

PackageFetcher::PackageFetcher(net::Web& web, const net::Credentials& credentials,
                               net::EnvironmentVariable environment, const std::stop_token& stop,
                               archive::FetchLimits limits)
    : impl_(std::make_unique<Impl>(web, credentials, std::move(environment), stop, limits)) {}
PackageFetcher::~PackageFetcher() = default;

base::Result<fetch::FetchedPackage> PackageFetcher::fetch(const PackageDownload& request) {
  return impl_->fetch({.address = request.source.package,
                       .into = request.into,
                       .revision = request.revision,
                       .untrusted = request.untrusted,
                       .direct = request.direct,
                       .token_of = request.token_of,
                       .oci_artifact_type = std::string(kModulePackage)});
}

base::Result<std::optional<std::string>> PackageFetcher::resolve(const PackageDownload& request) {
  if (fetch::fetch_method(request.source.package) != "git") return std::optional<std::string>();
  const fetch::Fetching fetching{impl_->web, impl_->credentials, impl_->environment, impl_->stop,
                                 impl_->limits};
  return fetch::resolve_git(
      fetching,
      {.address = request.source.package, .into = request.into, .untrusted = request.untrusted});
}

base::Result<std::vector<fetch::GitReference>> PackageFetcher::tags(
    const PackageDownload& request) {
  const fetch::Fetching fetching{impl_->web, impl_->credentials, impl_->environment, impl_->stop,
                                 impl_->limits};
  return fetch::list_git_tags(
      fetching,
      {.address = request.source.package, .into = request.into, .untrusted = request.untrusted});
}

addrs::ModuleSource without_secrets(addrs::ModuleSource source) {
  if (auto* remote = std::get_if<addrs::RemoteSource>(&source)) {
    remote->package = fetch::without_secrets(remote->package);
  }
  return source;
}

std::optional<std::string> directory_on_disk(const addrs::ModuleSource& source) {
  const auto* remote = std::get_if<addrs::RemoteSource>(&source);
  if (remote == nullptr || addrs::kind_of(*remote) != addrs::RemoteKind::File) return std::nullopt;
  const auto url = fetch::parse_package_url(remote->package);
  if (!url) return std::nullopt;
  auto path = base::real_path(url->decoded_path());
  if (!path) return std::nullopt;
  const auto kind = base::file_kind(*path);
  if (!kind || *kind != base::FileKind::Directory) return std::nullopt;
  return std::move(*path);
}

}  // namespace tofu::install
