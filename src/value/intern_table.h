// A table of things that are each made once, shared by all threads.
//
// Inside `value` only. An entry is looked up by a hash of its content and a predicate that compares
// the content; if no entry matches, one is made and added. Entries are never removed or replaced.
// So a pointer to one can be kept and read without a lock: only looking one up takes a lock, of one
// part of the table, chosen by the hash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace tofu::value {

template <class Entry>
class InternTable {
 public:
  // The entry with this hash for which `is_same(entry)` is true. If none exists yet, `make()`
  // returns a pointer to a new one that lives as long as this table. It runs while the lock is
  // held, and must not use this table.
  template <class IsSame, class Make>
  const Entry* find_or_make(std::uint64_t hash, IsSame&& is_same, Make&& make) {
    Shard& shard = shards_[hash % kShards];
    const std::lock_guard lock(shard.mutex);
    const auto [first, last] = shard.by_hash.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      if (is_same(*it->second)) return it->second;
    }
    const Entry* made = make();
    shard.by_hash.emplace(hash, made);
    return made;
  }

 private:
  // Threads that look up different entries rarely wait for each other with so many parts.
  static constexpr std::size_t kShards = 64;

  struct alignas(64) Shard {  // a cache line of its own
    std::mutex mutex;
    std::unordered_multimap<std::uint64_t, const Entry*> by_hash;
  };
  std::array<Shard, kShards> shards_;
};

}  // namespace tofu::value
