// The constants of one syntax tree: made in bulk, and gone with it in bulk.
//
// A file has a string every few dozen bytes. Each as an allocation of its own
// would be a good part of the time of parsing, so the strings of a pool lie one
// after the other in blocks. They are values like any other, counted one by one:
// a copy may outlive the pool, and then keeps its block alive.
//
// Counting is what makes threads wait for each other: every instance of a resource
// copies the literals of its block. So a program that is going to be evaluated calls
// keep_forever(). Its literals then belong to the process and are not counted, and
// nobody has to know how long the tree lives.
//
// Threads: one task fills a pool, then everybody may read and copy what is in it.
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

  // What these return stays valid, and where it is, as long as the pool.
  const Value* string(std::string_view text);  // as Value::string
  const Value* ascii(std::string_view text);   // the same for what is known to be ASCII
  const Value* boolean(bool truth) const { return truth ? &true_ : &false_; }
  const Value* null() const { return &null_; }
  const Value* keep(Value constant) { return &others_.emplace_back(std::move(constant)); }

  // Hands everything that is in the pool to the process: never counted again, never
  // freed. For what is loaded once in a run; other threads do not use the pool yet.
  void keep_forever();

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
