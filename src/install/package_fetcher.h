// Fetching one package: from its address to a directory on this disk.
//
// Knows every kind of source (git, Mercurial, HTTP, S3, Google Cloud Storage, OCI,
// local files) and of archive. What arrives is never trusted: sizes, counts, time
// and names are limited, nothing is written outside the target, and a package that
// is refused leaves nothing behind. Safe to use from several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "addrs/module_source.h"
#include "base/result.h"
#include "install/credentials.h"
#include "install/web.h"

namespace tofu::install {

struct FetchLimits {
  std::uint64_t download_bytes = std::uint64_t{8} << 30;
  std::uint64_t unpacked_bytes = std::uint64_t{16} << 30;
  std::uint64_t files = 500'000;
  unsigned ratio = 1000;  // unpacked bytes for each byte of an archive, beyond a small start
};

struct FetchRequest {
  addrs::RemoteSource source;  // its subdirectory is of no interest here
  std::string into;            // a directory that does not exist yet; its parent does
  std::string revision = {};   // the commit that is locked; empty: what the source says now
  // The source was named by a package that came from elsewhere: it may not lead to
  // this machine's own files.
  bool from_elsewhere = false;
  // ModuleLocation::direct: an archive at an http(s) address, and nothing else is
  // looked for there.
  bool direct = false;
  // The registry whose token goes with the request for a direct package.
  std::optional<addrs::Hostname> token_of = {};
};

struct FetchedPackage {
  std::string revision = {};      // the commit, if there is such a thing
  std::string archive_hash = {};  // "zh:…" if it came as an archive
};

// The variable of the environment, or empty: AWS_PROFILE, HOME and such.
using EnvironmentVariable = std::function<std::string_view(std::string_view name)>;

class PackageFetcher {
 public:
  // All outlive the fetcher. When `cancelled` becomes true, fetching ends soon with
  // an error.
  PackageFetcher(Web& web, const Credentials& credentials, EnvironmentVariable environment,
                 const std::atomic<bool>& cancelled, FetchLimits limits = {});
  ~PackageFetcher();
  PackageFetcher(const PackageFetcher&) = delete;
  PackageFetcher& operator=(const PackageFetcher&) = delete;

  // On failure `request.into` does not exist. Errors never hold secrets of the address.
  base::Result<FetchedPackage> fetch(const FetchRequest& request);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

// The address without passwords, keys and tokens, for people, logs and lock files.
std::string without_secrets(const std::string& package);
addrs::ModuleSource without_secrets(addrs::ModuleSource source);

}  // namespace tofu::install
