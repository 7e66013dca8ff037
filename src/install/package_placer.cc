#include "install/package_placer.h"

#include <fmt/format.h>
#include <utility>

#include "archive/tree_copy.h"
#include "archive/tree_hash.h"
#include "base/file.h"

namespace tofu::install {

namespace {

// Copies wait for one disk, and more of them at once only wait for each other.
constexpr std::size_t kCopySideBySide = 2;

}  // namespace

PackagePlacer::PackagePlacer(PackageStore& store, const std::string& data_directory,
                             PackageCache* cache, const std::stop_token& stop)
    : store_(store),
      local_copies_(store, data_directory),
      cache_(cache),
      stop_(stop),
      copiers_(kCopySideBySide) {}

base::Result<void> PackagePlacer::share(Package& package) {
  if (package.in_store) return {};
  if (auto opened = store_.open(stop_); !opened) return opened;
  const std::string path = store_.package_path(package.name);
  const auto hash = archive::hash_tree(path);
  base::Result<void> done;
  if (hash && *hash == package.record.hash) {
    // Another source with the same content was there first. The cache finds it by both.
    if (cache_ != nullptr && !package.cached) (void)cache_->add_source(package.record).ok();
  } else if (package.cached) {
    done = share_from(package.files, path);
  } else if (cache_ != nullptr) {
    const auto cached = cache_->add(package.record, package.files);
    if (!cached && stop_.stop_requested()) return cached.error();
    // A cache that cannot be written is one for reading.
    if (!cached && cache_problem_.empty()) cache_problem_ = cached.error().what;
    done = cached ? share_from(*cached, path) : share_files(package, path);
  } else {
    done = share_files(package, path);
  }
  if (!done) return done;
  package.files = path;
  package.in_store = true;
  return {};
}

base::Result<void> PackagePlacer::share_from(const std::string& cached, const std::string& path) {
  if (store_.place_link(cached, path)) return {};
  const std::string fresh = store_.temporary_path();
  if (auto copied = archive::copy_tree(cached, fresh); !copied) return copied;
  if (auto kept = archive::make_read_only(fresh); !kept) return kept;
  return store_.place(fresh, path);
}

base::Result<void> PackagePlacer::share_files(Package& package, const std::string& path) {
  std::string fresh = package.files;
  if (package.owned) {
    fresh = store_.temporary_path();
    if (auto copied = archive::copy_tree(package.files, fresh); !copied) return copied;
  }
  if (auto kept = archive::make_read_only(fresh); !kept) return kept;
  return store_.place(fresh, path);
}

base::Result<void> PackagePlacer::link(Package& package, const std::string& entry) {
  if (auto shared = share(package); !shared) return shared;
  if (store_.place_link("../packages/" + package.name, entry)) return {};
  return copy(package, entry);
}

base::Result<void> PackagePlacer::copy(Package& package, const std::string& entry) {
  if (auto opened = store_.open(stop_); !opened) return opened;
  if (package.fetched && !package.in_store && !package.owned) {
    // The first copy is what was fetched.
    if (auto placed = store_.place(package.files, entry); !placed) return placed;
    package.files = entry;
    package.owned = true;
    return {};
  }
  copiers_.add([this, from = package.files, entry] {
    const std::string fresh = store_.temporary_path();
    auto done = archive::copy_tree(from, fresh);
    if (done) done = store_.place(fresh, entry);
    if (done) return;
    const std::lock_guard lock(mutex_);
    problems_.push_back({fmt::format("copying a package to {}: {}", entry, done.error().what)});
  });
  return {};
}

base::Result<void> PackagePlacer::copy_directory(const std::string& from,
                                                 const std::string& entry) {
  if (auto opened = store_.open(stop_); !opened) return opened;
  const std::string fresh = store_.temporary_path();
  if (auto copied = archive::copy_tree(from, fresh); !copied) return copied;
  return store_.place(fresh, entry);
}

base::Result<void> PackagePlacer::begin_local_copy(const std::string& path,
                                                   const std::string& entry) {
  if (auto opened = store_.open(stop_); !opened) return opened;
  return local_copies_.begin(path, entry);
}

base::Result<void> PackagePlacer::add_to_local_copy(const std::string& path,
                                                    const std::string& entry,
                                                    const std::vector<std::string>& whole) {
  if (auto opened = store_.open(stop_); !opened) return opened;
  return local_copies_.add(path, entry, whole);
}

std::vector<base::Error> PackagePlacer::finish() {
  copiers_.wait();
  const std::lock_guard lock(mutex_);
  if (store_.is_open()) {
    std::vector<std::string> directories = {store_.packages_directory()};
    if (cache_ != nullptr && cache_problem_.empty()) directories.push_back(cache_->directory());
    if (auto synced = base::sync_file_systems(directories); !synced) {
      problems_.push_back({"writing packages to disk failed: " + synced.error().what});
    }
  }
  return std::move(problems_);
}

}  // namespace tofu::install
