// The constants of one syntax tree, allocated and freed in bulk.
//
// A file has a string every few dozen bytes. Each as an allocation of its own
// would be a good part of the time of parsing, so the strings of a pool lie one
// after the other in blocks. They are values like any other, counted one by one:
// a copy may outlive the pool, and then keeps its block alive.
//
// Counting is what makes threads wait for each other: every instance of a resource copies the
// literals of its block. So a program calls make_immortal() before it is evaluated. Its literals
// then belong to the process and are not counted, independent of the lifetime of the tree.
//
// Threads: one task fills a pool; then all threads may read and copy its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>

#include "value/value.h"

namespace tofu::value {

class ConstantPool {
 public:
  ConstantPool() = default;
  ConstantPool(const ConstantPool&) = delete;
  ConstantPool& operator=(const ConstantPool&) = delete;
  ~ConstantPool();

  // The results stay valid and in place as long as the pool lives.
  const Value* string(std::string_view text);  // as Value::string
  const Value* ascii(std::string_view text);   // the same for ASCII text
  const Value* boolean(bool truth) const { return truth ? &true_ : &false_; }
  const Value* null() const { return &null_; }
  const Value* keep(Value constant) { return &others_.emplace_back(std::move(constant)); }

  // Hands everything that is in the pool to the process: never counted again, never freed. For
  // trees that are loaded once in a run; other threads do not use the pool yet.
  void make_immortal();

 private:
  struct Block;
  struct Entry;
  struct Kept;
  friend void leave_pool(Node* node);

  void add_block();

  Block* block_ = nullptr;  // the one being filled; each knows the one before it
  char* next_ = nullptr;    // in block_
  char* limit_ = nullptr;
  std::deque<Value> others_;
  Value true_ = Value::boolean(true);
  Value false_ = Value::boolean(false);
  Value null_ = Value::null();
};

}  // namespace tofu::value
