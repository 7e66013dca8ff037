#include "archive/tree_hash.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <openssl/evp.h>
#include <optional>
#include <thread>
#include <unistd.h>
#include <vector>

#include "archive/tree_walk.h"
#include "base/base64.h"
#include "base/check.h"
#include "base/task.h"
#include "base/thread.h"

namespace tofu::archive {

namespace {

constexpr std::size_t kBufferSize = std::size_t{512} << 10;
constexpr std::size_t kMaxThreads = 4;
constexpr std::size_t kFilesForAThread = 32;

using Digest = std::array<unsigned char, 32>;

// Finding the algorithm costs more than hashing a small file, so it is done once.
const EVP_MD* sha256() {
  static const EVP_MD* const algorithm = ::EVP_MD_fetch(nullptr, "SHA256", nullptr);
  TOFU_CHECK(algorithm != nullptr, "the cryptography library has SHA-256");
  return algorithm;
}

// Hashes one text after the other.
class Hasher {
 public:
  Hasher() : context_(::EVP_MD_CTX_new()) { begin(); }

  void add(std::string_view bytes) {
    ::EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  }
  Digest take() {
    Digest digest{};
    ::EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
    begin();
    return digest;
  }

 private:
  void begin() {
    TOFU_CHECK(context_ && ::EVP_DigestInit_ex2(context_.get(), sha256(), nullptr) == 1,
               "SHA-256 can be begun");
  }
  struct Free {
    void operator()(EVP_MD_CTX* context) const { ::EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

std::string hex(const Digest& digest) { return fmt::format("{:02x}", fmt::join(digest, "")); }

// The hash of a file's content. Nothing, with errno set, if it cannot be read.
std::optional<Digest> hash_content(int file, Hasher& hasher, char* buffer) {
  if (file < 0) return std::nullopt;
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(file, buffer, kBufferSize, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return hasher.take(), std::nullopt;
    if (got == 0) return hasher.take();
    hasher.add({buffer, static_cast<std::size_t>(got)});
    at += got;
  }
}

// The hash of the text that a link holds.
std::optional<Digest> hash_link(const OpenFile& tree, const std::string& path, Hasher& hasher) {
  const OpenFile link = open_below(tree, path, O_PATH);
  std::array<char, PATH_MAX> target{};
  const ssize_t size =
      link ? ::readlinkat(link.number(), "", target.data(), target.size()) : ssize_t{-1};
  if (size < 0) return std::nullopt;
  hasher.add({target.data(), static_cast<std::size_t>(size)});
  return hasher.take();
}

struct Leaf {
  std::string path;
  bool is_link = false;
  Digest digest = {};
};

base::Result<std::vector<Leaf>> find_leaves(const OpenFile& tree, TreeContents contents) {
  const auto directories = list_tree(tree, contents);
  if (!directories) return directories.error();
  std::vector<Leaf> leaves;
  for (const TreeDirectory& directory : *directories) {
    for (const TreeEntry& entry : directory.entries) {
      if (entry.kind == EntryKind::Directory) continue;
      std::string path = directory.path_of(entry);
      if (entry.kind == EntryKind::Other) {
        return base::Error{fmt::format("{:?} is neither a file nor a directory nor a link", path)};
      }
      if (path.find('\n') != std::string::npos) {
        return base::Error{fmt::format("the name {:?} has a line break in it", path)};
      }
      leaves.push_back({std::move(path), entry.kind == EntryKind::Link});
    }
  }
  std::ranges::sort(leaves, {}, &Leaf::path);
  return leaves;
}

// Several threads take one leaf after the other until all are hashed.
class LeafHasher {
 public:
  LeafHasher(const OpenFile& tree, std::vector<Leaf>& leaves, FileLinks links, const HeldFile* held)
      : tree_(tree), leaves_(leaves), links_(links), held_(held) {}

  base::Result<void> run();

 private:
  void work();
  std::optional<Digest> hash(const Leaf& leaf, Hasher& hasher, char* buffer) const;
  OpenFile open(const Leaf& leaf) const;
  void fail(base::Error error);

  const OpenFile& tree_;
  std::vector<Leaf>& leaves_;
  FileLinks links_;
  const HeldFile* held_;  // may be null
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // guards error_, which any of the threads may set
  std::optional<base::Error> error_;
  base::Task broken_;
};

base::Result<void> LeafHasher::run() {
  const std::size_t threads = std::min(
      {kMaxThreads, std::size_t{base::processors()}, leaves_.size() / kFilesForAThread + 1});
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) {
      others.emplace_back([this] { broken_.run([this] { work(); }); });
    }
    broken_.run([this] { work(); });
  }
  broken_.check();
  if (error_) return std::move(*error_);
  return {};
}

OpenFile LeafHasher::open(const Leaf& leaf) const {
  if (!leaf.is_link) return open_below(tree_, leaf.path, O_RDONLY | O_NONBLOCK);
  return OpenFile(::openat(tree_.number(), leaf.path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

std::optional<Digest> LeafHasher::hash(const Leaf& leaf, Hasher& hasher, char* buffer) const {
  if (leaf.is_link && links_ == FileLinks::Text) return hash_link(tree_, leaf.path, hasher);
  if (held_ != nullptr && leaf.path == held_->path) {
    return hash_content(held_->descriptor, hasher, buffer);
  }
  const OpenFile file = open(leaf);
  return hash_content(file.number(), hasher, buffer);
}

void LeafHasher::work() {
  Hasher hasher;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBufferSize);
  for (std::size_t i = next_++; i < leaves_.size(); i = next_++) {
    Leaf& leaf = leaves_[i];
    const auto digest = hash(leaf, hasher, buffer.get());
    if (!digest) return fail(tree_error("read", leaf.path));
    leaf.digest = *digest;
  }
}

void LeafHasher::fail(base::Error error) {
  next_ = leaves_.size();
  const std::lock_guard lock(mutex_);
  error_ = std::move(error);
}

}  // namespace

base::Result<std::string> hash_tree(const std::string& directory, TreeContents contents,
                                    FileLinks links, const HeldFile* held) {
  const auto tree = open_tree(directory, FollowTop::Yes);
  if (!tree) return tree.error();
  auto leaves = find_leaves(*tree, contents);
  if (!leaves) return leaves.error();
  if (auto hashed = LeafHasher(*tree, *leaves, links, held).run(); !hashed) return hashed.error();
  Hasher all;
  for (const Leaf& leaf : *leaves) {
    all.add(hex(leaf.digest));
    all.add(leaf.is_link && links == FileLinks::Text ? "->" : "  ");
    all.add(leaf.path);
    all.add("\n");
  }
  const Digest digest = all.take();
  return "h1:" + base::base64_encode({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

base::Result<std::string> hash_archive(const std::string& path) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Hasher hasher;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBufferSize);
  const auto digest = hash_content(file.number(), hasher, buffer.get());
  if (!digest) return tree_error("read", path);
  return "zh:" + hex(*digest);
}

}  // namespace tofu::archive
