// Calls of library functions that call others: their results, kept for calls with the
// same arguments, and how many one evaluation makes.
//
// Functions of libraries are pure, so a call with the same arguments (the same to the last mark)
// has the same outcome. Without this, forty functions that each call the one before twice would
// never end. The functions that call no others do not come here: they cost what their own
// expressions cost.
//
// The cache is bounded by number and by size; the oldest entries are dropped first. An evaluation
// that makes too many calls all the same fails.
//
// Threads: may be used from several at once; each evaluates by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/memory.h"
#include "symbols/library.h"
#include "syntax/function.h"
#include "value/value.h"

namespace tofu::symbols {

class LibraryCalls {
 public:
  using Outcome = syntax::CallResult<value::Value>;

  // Calls that one evaluation makes. Ordinary libraries stay far below; what goes beyond doubles
  // with every function and would never end. Fewer where each takes much longer.
  static constexpr std::size_t kMaxCalls = base::kMemoryIsChecked ? 20'000 : 1'000'000;

  LibraryCalls() = default;
  LibraryCalls(const LibraryCalls&) = delete;
  LibraryCalls& operator=(const LibraryCalls&) = delete;

  // The cached result, or that of `compute`. A call that is made while this thread computes another
  // one is part of the same evaluation.
  Outcome call(const LibraryFunction& function, syntax::Arguments arguments,
               const std::function<Outcome()>& compute);

  // Makes all calls of this thread part of one evaluation while it lives.
  class Evaluation {
   public:
    explicit Evaluation(LibraryCalls& calls);
    ~Evaluation();
    Evaluation(const Evaluation&) = delete;
    Evaluation& operator=(const Evaluation&) = delete;

    // Whether there were more calls than may be: all open calls fail, even inside `try`, and so
    // will all others.
    bool is_exhausted() const;

   private:
    LibraryCalls& calls_;
  };

  std::size_t kept() const;  // how many outcomes are

  // Why an exhausted evaluation fails, as a clause.
  static std::string too_many_calls();

 private:
  struct Entry {
    const LibraryFunction* function;
    std::vector<value::Value> arguments;
    Outcome outcome;
    std::uint64_t hash;
    std::size_t weight;  // in bytes, about
  };
  struct Running {
    std::size_t depth = 0;  // calls inside each other, Evaluations included
    std::size_t calls = 0;  // made so far
    bool refused = false;   // one that was too many
  };

  // All of these with the lock held.
  const Entry* find(const LibraryFunction& function, syntax::Arguments arguments,
                    std::uint64_t hash) const;
  void keep(Entry entry);
  void drop_oldest();
  void enter() { ++running_[std::this_thread::get_id()].depth; }
  void leave();

  mutable std::mutex mutex_;
  std::deque<Entry> entries_;  // oldest first; addresses stay while an entry is there
  std::unordered_multimap<std::uint64_t, const Entry*> by_hash_;
  std::size_t weight_ = 0;  // of all entries
  std::unordered_map<std::thread::id, Running> running_;
};

}  // namespace tofu::symbols
