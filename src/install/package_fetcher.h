// Fetching the package of a module source, wherever servers send us for it.
//
// The bytes come through `net`, which trusts nothing that arrives. Here a server's
// answer that names another source (X-Terraform-Get) is followed, a bounded number of
// times, and only the directory that it names is kept. Safe to use from several threads.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "addrs/module_source.h"
#include "base/result.h"
#include "fetch/fetching.h"
#include "fetch/git_references.h"

namespace tofu::install {

struct PackageDownload {
  addrs::RemoteSource source;  // its subdirectory is of no interest here
  std::string into;            // a directory that does not exist yet; its parent does
  std::string revision = {};   // the commit that is locked; empty: what the source says now
  // The source was named by a fetched package: it may not lead to this machine's own files.
  bool untrusted = false;
  // ModuleLocation::direct: an archive at an http(s) address, and nothing else is
  // looked for there.
  bool direct = false;
  // The registry whose token goes with the request for a direct package.
  std::optional<base::Hostname> token_of = {};
};

class PackageFetcher {
 public:
  // All outlive the fetcher. When a stop is requested, fetching ends soon with
  // an error.
  PackageFetcher(net::Web& web, const net::Credentials& credentials,
                 net::EnvironmentVariable environment, const std::stop_token& stop,
                 archive::FetchLimits limits = {});
  ~PackageFetcher();
  PackageFetcher(const PackageFetcher&) = delete;
  PackageFetcher& operator=(const PackageFetcher&) = delete;

  // On failure `request.into` does not exist. Errors never hold secrets of the address.
  base::Result<fetch::FetchedPackage> fetch(const PackageDownload& request);

  // The commit that a git source stands for now, without fetching its files. Nothing if the source
  // is of another kind, or if only the files can tell. `request.into` is used for a short time.
  base::Result<std::optional<std::string>> resolve(const PackageDownload& request);
  // The tags of a git repository.
  base::Result<std::vector<fetch::GitReference>> tags(const PackageDownload& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The source without passwords, keys and tokens, for people, logs and lock files.
addrs::ModuleSource without_secrets(addrs::ModuleSource source);

// The directory that a source means if it is one on this disk, by its real path.
std::optional<std::string> directory_on_disk(const addrs::ModuleSource& source);

}  // namespace tofu::install
