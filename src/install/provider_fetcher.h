// Getting one provider package and putting it into a directory of packages.
//
// Archives are downloaded, checked against everything that is known of them, unpacked beside their
// place and renamed into it; a package that lies unpacked on this machine is linked. A refused
// package leaves nothing behind. The caller holds the package's lock. Safe to use from several
// threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "archive/limits.h"
#include "base/result.h"
#include "install/install_method.h"
#include "install/provider_directory.h"
#include "install/signing_metadata.h"
#include "net/credentials.h"
#include "net/environment.h"
#include "net/web.h"

namespace tofu::install {

// How far a download is: bytes so far, and how many there will be if that is known.
using DownloadProgress =
    std::function<void(std::uint64_t bytes, std::optional<std::uint64_t> size)>;

struct ProviderPackageRequest {
  const addrs::Provider& provider;
  const std::string& version;
  const PackageOffer& offer;
  std::span<const std::string> allowed;  // hashes of the lock; empty: any
  const ProviderDirectory& into;
  // A different package at that path is replaced. Not in a cache: others use it.
  bool replaces = true;
  DownloadProgress progress = {};  // called from the thread that fetches
};

struct FetchedProvider {
  std::string hash;                       // "h1:…" of the package in its place
  std::vector<std::string> verified;      // all hashes that were found by looking at it
  std::vector<std::string> vouched = {};  // what others say of all platforms
  Authenticity how = Authenticity::Unauthenticated;
  std::string key_id = {};  // who signed
  bool has_expired_key = false;
};

class ProviderFetcher {
 public:
  // Everything outlives this.
  ProviderFetcher(net::Web& web, const net::Credentials& credentials,
                  net::EnvironmentVariable environment, SignaturePolicy policy,
                  const std::stop_token& stop, archive::FetchLimits limits = {});

  // Errors are clauses about the package.
  base::Result<FetchedProvider> fetch(const ProviderPackageRequest& request);

  // The archive of a package alone, checked like that of fetch(), in a new file. An
  // unpacked package has none.
  base::Result<FetchedProvider> fetch_archive(const ProviderPackageRequest& request,
                                              const std::string& file);

 private:
  struct Archive;

  base::Result<FetchedProvider> link(const ProviderPackageRequest& request,
                                     const std::string& directory) const;
  base::Result<Archive> get_archive(const ProviderPackageRequest& request, const std::string& file);
  base::Result<std::string> download(const ProviderPackageRequest& request, const PackageUrl& from,
                                     const std::string& file);
  base::Result<std::string> get_blob(const ProviderPackageRequest& request, const PackageBlob& from,
                                     const std::string& file);
  base::Result<FetchedProvider> unpack(const ProviderPackageRequest& request,
                                       const Archive& archive, const std::string& into) const;
  std::string temporary_name(const ProviderDirectory& into);

  net::Web& web_;
  const net::Credentials& credentials_;
  net::EnvironmentVariable environment_;
  SignaturePolicy policy_;
  std::stop_token stop_;
  archive::FetchLimits limits_;
  std::atomic<std::uint64_t> next_ = 0;
};

// Makes `at` a link to the directory `target`, in one step; where there can be no links,
// a copy.
base::Result<void> link_package(const std::string& target, const std::string& at,
                                const std::string& temporary);

}  // namespace tofu::install
