#include "value/constant_pool.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "value/hash.h"

namespace tofu::value {
namespace {

// A node stores its distance from the start of its block in words, in 16 bits.
constexpr std::size_t kWord = 8;
constexpr std::size_t kFirstBlock = 1024;
constexpr std::size_t kMaxBlockSize = 64 * 1024;
static_assert(kMaxBlockSize / kWord <= UINT16_MAX);
constexpr std::size_t kMaxText = kMaxBlockSize / 8;  // others are on their own

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + kWord - 1) / kWord * kWord; }

}  // namespace

// A string: the value that trees point to, its node, and the bytes.
struct ConstantPool::Entry {
  explicit Entry(std::size_t length)
      : value(ValueRep::adopt(&node)), node(static_cast<std::uint32_t>(length), 0) {}
  static std::size_t bytes(std::size_t length) { return sizeof(Entry) + round_up(length); }
  static Entry* at(char* place) { return reinterpret_cast<Entry*>(place); }

  Value value;
  StringNode node;
};

struct ConstantPool::Block {
  // The pool gives up its reference to each string; the block goes when the pool has
  // left it and there is no copy of any string.
  static void leave(Block* block);
  static void forget(Block* block, std::uint32_t holders) {
    if (block->holders.fetch_sub(holders, std::memory_order_acq_rel) == holders) {
      ::operator delete(block);
    }
  }
  template <class On>
  void each_entry(On&& on) {
    for (auto* at = reinterpret_cast<char*>(this + 1); at != end;) {
      Entry& entry = *Entry::at(at);
      at += Entry::bytes(entry.node.size);
      on(entry);
    }
  }

  Block* before;
  char* end;  // of the entries, once the next block is begun
  // The strings, and the pool itself: else another thread that drops the last copy
  // would free the block while leave() walks it.
  std::atomic<std::uint32_t> holders{1};
};

void ConstantPool::Block::leave(Block* block) {
  std::uint32_t gone = 1;  // the pool
  block->each_entry([&](Entry& entry) {
    const bool only_ours = entry.node.refs.load(std::memory_order_acquire) == 1;
    if (only_ours || drop_reference(&entry.node)) ++gone;
  });
  forget(block, gone);
}

void leave_pool(Node* node) {
  auto* start = reinterpret_cast<char*>(node) - node->words_into_pool * kWord;
  ConstantPool::Block::forget(reinterpret_cast<ConstantPool::Block*>(start), 1);
}

// Memory that is never freed. The list is never read: it shows leak checkers that this memory is
// still in use.
struct ConstantPool::Kept {
  static std::atomic<Kept*>& last() {
    static auto* const only = std::make_unique<std::atomic<Kept*>>(nullptr).release();
    return *only;
  }

  Block* blocks;
  std::deque<Value> others;  // moved as a whole, so that each stays where it is
  Kept* before;
};

void ConstantPool::make_immortal() {
  if (block_ == nullptr && others_.empty()) return;
  if (block_ != nullptr) block_->end = next_;
  for (Block* block = block_; block != nullptr; block = block->before) {
    block->each_entry([](Entry& entry) { entry.node.flags |= kImmortal; });
  }
  for (const Value& other : others_) {
    // Nulls, booleans and the like are not counted anyway, and are not ours to change.
    const bool counted = ValueRep::is_node(other) && (ValueRep::flags(other) & kImmortal) == 0;
    if (counted) ValueRep::node(other)->flags |= kImmortal;
  }
  auto kept = std::make_unique<Kept>(std::exchange(block_, nullptr), std::move(others_),
                                     Kept::last().load(std::memory_order_relaxed));
  others_.clear();
  next_ = limit_ = nullptr;
  while (!Kept::last().compare_exchange_weak(kept->before, kept.get(), std::memory_order_acq_rel)) {
  }
  kept.release();
}

ConstantPool::~ConstantPool() {
  if (block_ != nullptr) block_->end = next_;
  while (block_ != nullptr) Block::leave(std::exchange(block_, block_->before));
}

void ConstantPool::add_block() {
  std::size_t bytes = kFirstBlock;
  if (block_ != nullptr) {
    block_->end = next_;
    const auto last = static_cast<std::size_t>(limit_ - reinterpret_cast<char*>(block_));
    bytes = std::min(2 * last, kMaxBlockSize);
  }
  auto* memory = static_cast<char*>(::operator new(bytes));
  block_ = std::construct_at(reinterpret_cast<Block*>(memory), block_, nullptr);
  next_ = memory + sizeof(Block);
  limit_ = memory + bytes;
}

const Value* ConstantPool::ascii(std::string_view text) {
  if (text.size() > kMaxText) return keep(Value::string(text));
  const std::size_t bytes = Entry::bytes(text.size());
  while (static_cast<std::size_t>(limit_ - next_) < bytes) add_block();
  auto* entry = std::construct_at(reinterpret_cast<Entry*>(next_), text.size());
  text.copy(entry->node.bytes(), text.size());
  entry->node.words_into_pool = static_cast<std::uint16_t>(
      (reinterpret_cast<char*>(&entry->node) - reinterpret_cast<char*>(block_)) / kWord);
  block_->holders.store(block_->holders.load(std::memory_order_relaxed) + 1,
                        std::memory_order_relaxed);
  next_ += bytes;
  return &entry->value;
}

const Value* ConstantPool::string(std::string_view text) {
  if (is_plain_ascii(text)) return ascii(text);
  return keep(Value::string(text));
}

}  // namespace tofu::value
