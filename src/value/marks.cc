#include "value/marks.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "value/hash.h"
#include "value/node.h"

namespace tofu::value {

// Trivially destructible, so that the fixed ones need no code at start or exit.
struct MarksNode {
  bool sensitive = false;
  bool ephemeral = false;
  std::size_t count = 0;
  const Deprecation* deprecations = nullptr;  // sorted, unique

  std::span<const Deprecation> sources() const { return {deprecations, count}; }
};

namespace {

constinit const MarksNode kSensitive{.sensitive = true};
constinit const MarksNode kEphemeral{.ephemeral = true};
constinit const MarksNode kSensitiveEphemeral{.sensitive = true, .ephemeral = true};

std::uint64_t hash_of(bool sensitive, bool ephemeral, std::span<const Deprecation> sources) {
  std::uint64_t hash = (sensitive ? 1u : 0u) | (ephemeral ? 2u : 0u);
  for (const Deprecation& source : sources) {
    hash = mix(hash ^ hash_bytes(source.source),
               hash_bytes(source.message) + (source.from_remote_module ? 1 : 0));
  }
  return hash;
}

}  // namespace

// Sets with deprecations in them. Marks live as long as the process.
struct MarksTable {
  std::mutex mutex;
  std::unordered_multimap<std::uint64_t, const MarksNode*> nodes;

  static MarksTable& only() {
    static MarksTable* const table = place<MarksTable>(0);
    return *table;
  }

  static Marks handle(const MarksNode* node) {
    Marks marks;
    marks.node_ = node;
    return marks;
  }

  static Marks intern(bool sensitive, bool ephemeral, std::span<const Deprecation> sources) {
    if (sources.empty()) {
      if (sensitive) return handle(ephemeral ? &kSensitiveEphemeral : &kSensitive);
      return handle(ephemeral ? &kEphemeral : nullptr);
    }
    const std::uint64_t hash = hash_of(sensitive, ephemeral, sources);
    MarksTable& table = only();
    const std::lock_guard lock(table.mutex);
    const auto [begin, end] = table.nodes.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      const MarksNode& node = *at->second;
      if (node.sensitive == sensitive && node.ephemeral == ephemeral &&
          std::ranges::equal(node.sources(), sources)) {
        return handle(&node);
      }
    }
    auto* own = static_cast<Deprecation*>(::operator new(sources.size_bytes()));
    std::uninitialized_copy(sources.begin(), sources.end(), own);
    auto* node = place<MarksNode>(0);
    *node = {sensitive, ephemeral, sources.size(), own};
    table.nodes.emplace(hash, node);
    return handle(node);
  }
};

Marks Marks::sensitive() { return MarksTable::handle(&kSensitive); }
Marks Marks::ephemeral() { return MarksTable::handle(&kEphemeral); }
Marks Marks::deprecated(Deprecation source) {
  return MarksTable::intern(false, false, std::span<const Deprecation>(&source, 1));
}

bool Marks::is_sensitive() const { return node_ != nullptr && node_->sensitive; }
bool Marks::is_ephemeral() const { return node_ != nullptr && node_->ephemeral; }
std::span<const Deprecation> Marks::deprecations() const {
  return node_ == nullptr ? std::span<const Deprecation>() : node_->sources();
}

Marks Marks::with(Marks other) const {
  if (other.node_ == nullptr || other.node_ == node_) return *this;
  if (node_ == nullptr) return other;
  std::vector<Deprecation> sources;
  std::ranges::set_union(deprecations(), other.deprecations(), std::back_inserter(sources));
  return MarksTable::intern(is_sensitive() || other.is_sensitive(),
                            is_ephemeral() || other.is_ephemeral(), sources);
}

Marks Marks::without_sensitive() const {
  return MarksTable::intern(false, is_ephemeral(), deprecations());
}
Marks Marks::without_ephemeral() const {
  return MarksTable::intern(is_sensitive(), false, deprecations());
}
Marks Marks::without_deprecations() const {
  return MarksTable::intern(is_sensitive(), is_ephemeral(), {});
}

}  // namespace tofu::value
