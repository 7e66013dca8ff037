// A hash index over rows of another container: four bytes per row.
//
// The owner says how a row is hashed and compared; the index holds row numbers
// only. Few rows are found by looking at each, without any index.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tofu::state {

class RowIndex {
 public:
  // `equal(row)` says whether a row is the one that is looked for.
  template <class Equal>
  std::optional<std::uint32_t> find(std::uint64_t hash, std::size_t rows, Equal&& equal) const {
    if (slots_.empty()) {
      for (std::uint32_t row = 0; row < rows; ++row) {
        if (equal(row)) return row;
      }
      return std::nullopt;
    }
    for (std::size_t at = place(hash);; at = next(at)) {
      if (slots_[at] == 0) return std::nullopt;
      if (equal(slots_[at] - 1)) return slots_[at] - 1;
    }
  }

  // After a row was added at the end; `hash_of(row)` for every row.
  template <class HashOf>
  void added(std::size_t rows, HashOf&& hash_of) {
    if (slots_.empty() && rows <= kFew) return;
    if (slots_.size() < rows * 2) return rebuild(rows, hash_of);
    put(hash_of(static_cast<std::uint32_t>(rows - 1)), static_cast<std::uint32_t>(rows - 1));
  }

  // Before `row` goes away and the last of `rows` takes its place.
  template <class HashOf>
  void removing(std::uint32_t row, std::size_t rows, HashOf&& hash_of) {
    if (slots_.empty()) return;
    const auto last = static_cast<std::uint32_t>(rows - 1);
    take_out(slot_of(hash_of(row), row), hash_of);
    if (row != last) slots_[slot_of(hash_of(last), last)] = row + 1;
  }

 private:
  static constexpr std::size_t kFew = 8;

  // The upper bits of the product are the well-mixed ones.
  std::size_t place(std::uint64_t hash) const {
    return static_cast<std::size_t>((hash * 0x9E3779B97F4A7C15U) >>
                                    (64 - std::countr_zero(slots_.size())));
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  void put(std::uint64_t hash, std::uint32_t row) {
    std::size_t at = place(hash);
    while (slots_[at] != 0) at = next(at);
    slots_[at] = row + 1;
  }
  std::size_t slot_of(std::uint64_t hash, std::uint32_t row) const {
    std::size_t at = place(hash);
    while (slots_[at] != row + 1) at = next(at);
    return at;
  }
  template <class HashOf>
  void rebuild(std::size_t rows, HashOf&& hash_of) {
    slots_.assign(std::bit_ceil(rows * 4), 0);
    for (std::uint32_t row = 0; row < rows; ++row) put(hash_of(row), row);
  }
  // Moves later rows of the same run forward, so that no row is behind an empty slot.
  template <class HashOf>
  void take_out(std::size_t hole, HashOf&& hash_of) {
    slots_[hole] = 0;
    for (std::size_t at = next(hole); slots_[at] != 0; at = next(at)) {
      const std::size_t wanted = place(hash_of(slots_[at] - 1));
      const std::size_t mask = slots_.size() - 1;
      if (((at - wanted) & mask) < ((at - hole) & mask)) continue;
      slots_[hole] = slots_[at];
      slots_[at] = 0;
      hole = at;
    }
  }

  std::vector<std::uint32_t> slots_;  // 0: empty, otherwise row + 1; a power of two
};

}  // namespace tofu::state
