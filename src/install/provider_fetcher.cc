#include "install/provider_fetcher.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <unistd.h>
#include <utility>

#include "archive/archive.h"
#include "archive/temporary_file.h"
#include "archive/tree_copy.h"
#include "archive/tree_hash.h"
#include "base/file.h"
#include "base/hashes.h"
#include "base/overloaded.h"

namespace tofu::install {

namespace {

// Names that no mirror takes for a platform, because they have no underscore.
constexpr std::string_view kUnfinished = ".new-";

bool contains(std::span<const std::string> hashes, const std::string& hash) {
  return std::ranges::find(hashes, hash) != hashes.end();
}

// A directory that is removed at the end, unless it was moved away.
class TemporaryTree {
 public:
  explicit TemporaryTree(std::string path) : path_(std::move(path)) {}
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;
  ~TemporaryTree() { (void)archive::remove_tree(path_).ok(); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Hashes a download and reports its progress.
class DownloadHasher final : public net::DownloadObserver {
 public:
  explicit DownloadHasher(const DownloadProgress& progress) : progress_(progress) {}

  void begin(std::optional<std::uint64_t> size) override {
    hasher_.begin();
    bytes_ = 0;
    size_ = size;
  }
  void take(std::string_view bytes) override {
    hasher_.add(bytes);
    bytes_ += bytes.size();
    if (progress_) progress_(bytes_, size_);
  }
  std::string sha256() { return hasher_.finish(); }

 private:
  const DownloadProgress& progress_;
  base::StreamHasher hasher_{base::Hash::Sha256};
  std::uint64_t bytes_ = 0;
  std::optional<std::uint64_t> size_;
};

std::string unfinished_prefix(const Platform& platform) {
  return fmt::format("{}{}.{}-", kUnfinished, platform.os, platform.arch);
}

// Removes the remains of killed runs beside a package, whose lock is held. It may also stay.
void remove_unfinished(const std::string& directory, const Platform& platform) {
  const auto entries = base::list_directory(directory);
  if (!entries) return;
  for (const base::DirectoryEntry& entry : *entries) {
    if (!entry.name.starts_with(unfinished_prefix(platform))) continue;
    (void)archive::remove_tree(fmt::format("{}/{}", directory, entry.name)).ok();
  }
}

base::Error not_locked(std::span<const std::string> found) {
  return base::Error{
      fmt::format("the package has the hash {}, which is not among those in the lock file. Either "
                  "it was changed after it was locked, or the lock file has only hashes of other "
                  "platforms: \"tofu providers lock\" adds those of this one",
                  fmt::join(found, " and "))};
}

base::Error moving_failed(const std::string& to) {
  return base::Error{fmt::format("moving the package to {} failed: {}", to, std::strerror(errno))};
}

// Puts a finished directory or link into its place in one step, as far as the system can
// do that.
base::Result<void> move_into_place(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  // A directory cannot be renamed over one that has files, nor a link over a directory.
  if (errno != ENOTEMPTY && errno != EEXIST && errno != EISDIR && errno != ENOTDIR) {
    return moving_failed(to);
  }
  const TemporaryTree old(from + ".old");
  if (::rename(to.c_str(), old.path().c_str()) != 0 || ::rename(from.c_str(), to.c_str()) != 0) {
    return moving_failed(to);
  }
  return {};
}

}  // namespace

struct ProviderFetcher::Archive {
  std::string file;
  std::string hash;  // "zh:…"
  VerifiedChecksums vouched;
};

ProviderFetcher::ProviderFetcher(net::Web& web, const net::Credentials& credentials,
                                 net::EnvironmentVariable environment, SignaturePolicy policy,
                                 const std::stop_token& stop, archive::FetchLimits limits)
    : web_(web),
      credentials_(credentials),
      environment_(std::move(environment)),
      policy_(policy),
      stop_(stop),
      limits_(limits) {}

base::Result<void> link_package(const std::string& target, const std::string& at,
                                const std::string& temporary) {
  std::error_code failed;
  const std::string whole = std::filesystem::absolute(target, failed).lexically_normal().string();
  if (failed) return base::Error{failed.message()};
  if (std::filesystem::is_symlink(at, failed) &&
      std::filesystem::read_symlink(at, failed) == whole) {
    return {};
  }
  const TemporaryTree fresh(temporary);
  if (::symlink(whole.c_str(), fresh.path().c_str()) != 0) {
    if (auto copied = archive::copy_tree(whole, fresh.path()); !copied) return copied;
  }
  return move_into_place(fresh.path(), at);
}

std::string ProviderFetcher::temporary_name(const ProviderDirectory& into) {
  return fmt::format("{}{}-{}", unfinished_prefix(into.platform()), ::getpid(), next_.fetch_add(1));
}

base::Result<FetchedProvider> ProviderFetcher::fetch(const ProviderPackageRequest& request) {
  const std::string place = request.into.package_path(request.provider, request.version);
  const std::string parent = place.substr(0, place.rfind('/'));
  std::error_code failed;
  std::filesystem::create_directories(parent, failed);
  if (failed) return base::Error{fmt::format("making {} failed: {}", parent, failed.message())};
  remove_unfinished(parent, request.into.platform());
  const std::string temporary = fmt::format("{}/{}", parent, temporary_name(request.into));
  if (const auto* local = std::get_if<PackageDirectory>(&request.offer.location)) {
    auto checked = link(request, local->path);
    if (!checked) return checked;
    if (auto linked = link_package(local->path, place, temporary); !linked) return linked.error();
    return checked;
  }
  const archive::TemporaryFile file(temporary + ".zip");
  const auto archive = get_archive(request, file.path());
  if (!archive) return archive.error();
  const TemporaryTree fresh(temporary);
  auto package = unpack(request, *archive, fresh.path());
  if (!package) return package;
  if (request.into.find(request.provider, request.version)) {
    const auto there = hash_package(place);
    if (there && *there == package->hash) return package;
    std::error_code unknown;
    const bool is_empty = std::filesystem::is_empty(place, unknown) && !unknown;
    if (!request.replaces && !is_empty) {
      return base::Error{
          fmt::format("{} already contains another package, with the hash {}; remove that "
                      "directory if it is not in use",
                      place, there ? *there : there.error().what)};
    }
  }
  if (auto moved = move_into_place(fresh.path(), place); !moved) return moved.error();
  return package;
}

base::Result<FetchedProvider> ProviderFetcher::fetch_archive(const ProviderPackageRequest& request,
                                                             const std::string& file) {
  const auto archive = get_archive(request, file);
  if (!archive) return archive.error();
  if (archive->file != file) {
    std::error_code failed;
    std::filesystem::copy_file(archive->file, file, failed);
    if (failed) return base::Error{fmt::format("copying it failed: {}", failed.message())};
  }
  const TemporaryTree fresh(file + ".unpacked");
  return unpack(request, *archive, fresh.path());
}

// Only hashes of files can be compared here: there is no archive.
base::Result<FetchedProvider> ProviderFetcher::link(const ProviderPackageRequest& request,
                                                    const std::string& directory) const {
  auto hash = hash_package(directory);
  if (!hash) return hash.error();
  const bool comparable = std::ranges::any_of(
      request.allowed, [](const std::string& each) { return each.starts_with("h1:"); });
  if (comparable && !contains(request.allowed, *hash)) return not_locked({&*hash, 1});
  if (auto executable = find_executable(directory, request.provider); !executable) {
    return executable.error();
  }
  return FetchedProvider{.hash = *hash, .verified = {*hash}};
}

base::Result<std::string> ProviderFetcher::download(const ProviderPackageRequest& request,
                                                    const PackageUrl& from,
                                                    const std::string& file) {
  DownloadHasher hasher(request.progress);
  net::WebRequest asked{.url = from.url,
                        // The registry names the host, so only a login for just that host is used.
                        .netrc = std::string(environment_("NETRC")),
                        .netrc_default = net::NetrcDefault::Ignored,
                        .limit = limits_.download_bytes,
                        .retries = from.retries,
                        .observer = &hasher};
  if (request.offer.evidence) {
    // The registry knows how long it is: nothing longer is worth waiting for.
    const auto& packages = request.offer.evidence->packages;
    const auto own = packages.find(request.into.platform().to_string());
    if (own != packages.end() && own->second.size > 0) {
      asked.limit = std::min(asked.limit, static_cast<std::uint64_t>(own->second.size));
    }
  }
  if (asked.netrc.empty() && !environment_("HOME").empty()) {
    asked.netrc = fmt::format("{}/.netrc", environment_("HOME"));
  }
  const auto reply = web_.download(asked, file);
  if (!reply) return reply.error();
  if (reply->status != 200) {
    return base::Error{fmt::format("its server responded with status {}", reply->status)};
  }
  return "zh:" + hasher.sha256();
}

base::Result<std::string> ProviderFetcher::get_blob(const ProviderPackageRequest& request,
                                                    const PackageBlob& from,
                                                    const std::string& file) {
  if (from.size > limits_.download_bytes) {
    return base::Error{fmt::format("it is larger than {} bytes", limits_.download_bytes)};
  }
  const fetch::Fetching fetching{web_, credentials_, environment_, stop_, limits_};
  fetch::OciSession session(fetching, from.repository);
  const auto reply = session.get("blobs/" + from.digest.to_string(), {}, from.size, &file);
  if (!reply) return reply.error();
  if (reply->status != 200) {
    return base::Error{fmt::format("the registry {} responded with status {}",
                                   from.repository.registry, reply->status)};
  }
  if (request.progress) request.progress(from.size, from.size);
  const auto digest = fetch::OciDigest::of_file(from.digest.kind, file);
  if (!digest) return digest.error();
  if (*digest != from.digest) {
    return base::Error{"the archive does not have the digest that its manifest names"};
  }
  return archive::hash_archive(file);
}

base::Result<ProviderFetcher::Archive> ProviderFetcher::get_archive(
    const ProviderPackageRequest& request, const std::string& file) {
  Archive archive{.file = file, .hash = {}, .vouched = {}};
  const auto& evidence = request.offer.evidence;
  if (evidence) {
    auto vouched = check_evidence(*evidence, request.provider, request.into.platform(), policy_);
    if (!vouched) return std::move(vouched).error();
    archive.vouched = std::move(*vouched);
  }
  auto hash = std::visit(
      base::Overloaded{[](const PackageDirectory&) -> base::Result<std::string> {
                         return base::Error{"it is not packed"};
                       },
                       [&](const PackageFile& from) {
                         archive.file = from.path;
                         return archive::hash_archive(from.path);
                       },
                       [&](const PackageUrl& from) { return download(request, from, file); },
                       [&](const PackageBlob& from) { return get_blob(request, from, file); }},
      request.offer.location);
  if (!hash) return hash.error();
  archive.hash = std::move(*hash);
  if (evidence && archive.hash != "zh:" + evidence->sha256) {
    return base::Error{fmt::format("the archive has the checksum {}, but the registry says {}",
                                   archive.hash.substr(3), evidence->sha256)};
  }
  return archive;
}

base::Result<FetchedProvider> ProviderFetcher::unpack(const ProviderPackageRequest& request,
                                                      const Archive& archive,
                                                      const std::string& into) const {
  const auto unpacked =
      archive::unpack_archive(archive.file, archive::ArchiveKind::Zip, into, limits_, stop_);
  if (!unpacked) return unpacked.error();
  auto hash = hash_package(into);
  if (!hash) return hash.error();
  FetchedProvider package{.hash = *hash,
                          .verified = {*hash},
                          .vouched = archive.vouched.hashes,
                          .how = archive.vouched.how,
                          .key_id = archive.vouched.key_id,
                          .has_expired_key = archive.vouched.has_expired_key};
  const std::array found{*hash, archive.hash};
  if (request.offer.evidence) package.verified.push_back(archive.hash);
  if (!request.offer.hashes.empty()) {
    std::set<std::string> matching;
    std::set<std::string> others;
    for (const std::string& each : request.offer.hashes) {
      if (contains(found, each)) {
        matching.insert(each);
      } else if (is_known_hash(each)) {
        others.insert(each);
      }
    }
    if (matching.empty()) {
      return base::Error{
          fmt::format("the package has the hash {}, which is not among those that "
                      "the mirror names",
                      fmt::join(found, " and "))};
    }
    package.how = Authenticity::VerifiedChecksum;
    std::ranges::copy(matching, std::back_inserter(package.verified));
    if (request.offer.trusts_all_hashes && !others.empty()) {
      package.how = Authenticity::SigningSkipped;
      if (!needs_signature(request.provider, policy_)) {
        package.vouched.assign(others.begin(), others.end());
      }
    }
  }
  if (!request.allowed.empty() && !contains(request.allowed, *hash) &&
      !contains(request.allowed, archive.hash)) {
    return not_locked(found);
  }
  if (auto executable = find_executable(into, request.provider); !executable) {
    return executable.error();
  }
  return package;
}

}  // namespace tofu::install
