// The counted thing behind a value or a big number, and how it is counted.
//
// A handle (Value, Number) is one machine word. Its low bit is its kind:
//   1  a whole number in the word itself: bit 1..2 its precision, the rest its
//      value (see small_number below);
//   0  a pointer to a Node.
// Nodes never change after they are made, apart from the count and the cached
// hash. Immortal nodes (nulls, unknowns, booleans, short strings) are not counted.
//
// Nothing outside `value` may use this header's names.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <sys/single_threaded.h>
#include <utility>

namespace tofu::value {

enum class Kind : std::uint8_t {
  Null,
  Unknown,
  Bool,
  Number,
  String,
  List,
  Set,
  Map,
  Tuple,
  Object,
  Capsule,
  Marked,
};

enum NodeFlag : std::uint8_t {
  kImmortal = 1,
  kContainsUnknown = 2,     // at any depth, the node itself included
  kContainsMarked = 4,      // likewise
  kTruth = 8,               // of a Bool
  kRefined = 16,            // an Unknown with refinements of its own
  kContainsMinusZero = 32,  // at any depth: sets distinguish -0 from 0, though == does not
};

struct Node {
  constexpr Node(Kind node_kind, std::uint8_t node_flags, std::uint32_t node_size)
      : size(node_size), kind(node_kind), flags(node_flags) {}

  mutable std::atomic<std::uint32_t> refs{1};
  mutable std::atomic<std::uint32_t> hash{0};  // 0: not computed yet
  std::uint32_t size;                          // elements, bytes or limbs
  Kind kind;
  std::uint8_t flags;
  std::uint16_t words_into_pool = 0;  // where a ConstantPool's block has it; 0 if it has none
};

// A weight is a number of parts, each counted as often as it occurs.
inline constexpr std::uint32_t kMaxWeight = UINT32_MAX;
inline std::uint32_t added_weight(std::uint32_t a, std::uint32_t b) {
  return b > kMaxWeight - a ? kMaxWeight : a + b;
}

// Makes a thing with `extra` bytes right behind it. Freed with operator delete.
template <class T, class... Args>
T* place(std::size_t extra, Args&&... args) {
  return std::construct_at(static_cast<T*>(::operator new(sizeof(T) + extra)),
                           std::forward<Args>(args)...);
}

// Frees the node and everything it alone held. Never recursive.
void destroy(Node* node);
// The same for a node in a ConstantPool's block.
void leave_pool(Node* node);

inline bool is_small(std::uintptr_t bits) { return (bits & 1) != 0; }
inline Node* node_of(std::uintptr_t bits) { return reinterpret_cast<Node*>(bits); }
inline std::uintptr_t bits_of(const Node* node) { return reinterpret_cast<std::uintptr_t>(node); }

// As long as the process has one thread the count needs no atomic instruction.
inline void retain(std::uintptr_t bits) {
  if (is_small(bits)) return;
  Node* node = node_of(bits);
  if ((node->flags & kImmortal) != 0) return;
  if (__libc_single_threaded) {
    node->refs.store(node->refs.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  } else {
    node->refs.fetch_add(1, std::memory_order_relaxed);
  }
}

inline bool drop_reference(Node* node) {  // whether it was the last one
  if (__libc_single_threaded) {
    const std::uint32_t left = node->refs.load(std::memory_order_relaxed) - 1;
    node->refs.store(left, std::memory_order_relaxed);
    return left == 0;
  }
  return node->refs.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

inline void release(std::uintptr_t bits) {
  if (is_small(bits)) return;
  Node* node = node_of(bits);
  if ((node->flags & kImmortal) != 0) return;
  if (drop_reference(node)) destroy(node);
}

// Whole numbers in the handle. The precision is one of three.
enum class SmallPrecision : std::uint8_t { Literal = 0, Integer = 1, Double = 2 };  // 512, 64, 53

inline constexpr std::int64_t kSmallMax = (std::int64_t{1} << 60) - 1;
inline constexpr std::int64_t kSmallMin = -kSmallMax;
inline constexpr std::int64_t kDoubleExactMax = std::int64_t{1} << 53;

inline bool fits_small(std::int64_t whole, SmallPrecision precision) {
  // Beyond 2^53 a number of 53 bits prints rounded digits: the big form's affair.
  if (precision == SmallPrecision::Double) {
    return whole >= -kDoubleExactMax && whole <= kDoubleExactMax;
  }
  return whole >= kSmallMin && whole <= kSmallMax;
}
inline std::uintptr_t small_number(std::int64_t whole, SmallPrecision precision) {
  return (static_cast<std::uintptr_t>(whole) << 3) | (static_cast<std::uintptr_t>(precision) << 1) |
         1;
}
inline std::int64_t small_whole(std::uintptr_t bits) {
  return static_cast<std::int64_t>(bits) >> 3;
}
inline SmallPrecision small_precision(std::uintptr_t bits) {
  return static_cast<SmallPrecision>((bits >> 1) & 3);
}

// The content of a handle after it was moved from: the number 0.
inline constexpr std::uintptr_t kMovedFrom = 1;

}  // namespace tofu::value
