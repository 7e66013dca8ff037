#include "value/constant_pool.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>

#include "value/hash.h"

namespace tofu::value {
namespace {

// A node tells how many words it lies behind the start of its block, in 16 bits.
constexpr std::size_t kWord = 8;
constexpr std::size_t kFirstBlock = 1024;
constexpr std::size_t kLargestBlock = 64 * 1024;
static_assert(kLargestBlock / kWord <= UINT16_MAX);
constexpr std::size_t kLongestText = kLargestBlock / 8;  // others are on their own

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + kWord - 1) / kWord * kWord; }

}  // namespace

// A string: the value that trees point to, its node, and the bytes.
struct ConstantPool::Entry {
  explicit Entry(std::size_t length)
      : value(ValueRep::adopt(&node)), node(static_cast<std::uint32_t>(length), 0) {}
  static std::size_t bytes(std::size_t length) { return sizeof(Entry) + round_up(length); }

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
  Entry* first() { return reinterpret_cast<Entry*>(this + 1); }

  Block* before;
  char* end;  // of the entries, once the next block is begun
  // The strings, and the pool itself: else another thread that drops the last copy
  // would free the block while leave() walks it.
  std::atomic<std::uint32_t> holders{1};
};

void ConstantPool::Block::leave(Block* block) {
  std::uint32_t gone = 1;  // the pool
  for (auto* at = reinterpret_cast<char*>(block->first()); at != block->end;) {
    auto* entry = reinterpret_cast<Entry*>(at);
    at += Entry::bytes(entry->node.size);
    const bool only_ours = entry->node.refs.load(std::memory_order_acquire) == 1;
    if (only_ours || drop_reference(&entry->node)) ++gone;
  }
  forget(block, gone);
}

void leave_pool(Node* node) {
  auto* start = reinterpret_cast<char*>(node) - node->words_into_pool * kWord;
  ConstantPool::Block::forget(reinterpret_cast<ConstantPool::Block*>(start), 1);
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
    bytes = std::min(2 * last, kLargestBlock);
  }
  auto* memory = static_cast<char*>(::operator new(bytes));
  block_ = std::construct_at(reinterpret_cast<Block*>(memory), block_, nullptr);
  next_ = memory + sizeof(Block);
  limit_ = memory + bytes;
}

const Value* ConstantPool::ascii(std::string_view text) {
  if (text.size() > kLongestText) return keep(Value::string(text));
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
