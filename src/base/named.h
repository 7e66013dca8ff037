// A list of things with names: kept in order of declaration, found by name.
//
// Names are unique; the caller reports duplicates. Pointers stay valid: elements are not moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tofu::base {

template <class T>
class Named {
 public:
  // The element, or null if there is none of that name.
  const T* find(std::string_view name) const { return find(name, hash_of(name)); }
  T* find(std::string_view name) { return find(name, hash_of(name)); }

  // Adds `element` under `name`. Null if the name is taken; the element is then
  // dropped.
  T* add(std::string name, T element) {
    const std::uint32_t hash = hash_of(name);
    if (find(name, hash) != nullptr) return nullptr;
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    items_.push_back(std::move(element));
    entries_.push_back({std::move(name), &items_.back()});
    place({hash, static_cast<std::uint32_t>(entries_.size())});
    return &items_.back();
  }

  // The same, but an element of that name is replaced, in its place.
  T* put(std::string name, T element) {
    if (T* old = find(name)) {
      *old = std::move(element);
      return old;
    }
    return add(std::move(name), std::move(element));
  }

  // Keeps an element whose name is taken: it is looked at, but never found.
  void keep_shadowed(T element) { items_.push_back(std::move(element)); }

  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }

 private:
  struct Entry {
    std::string name;
    T* element;
  };
  // One place of the table, which lies in one piece: with many thousands of names
  // most of the time of a search is waiting for memory.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t entry = 0;  // counted from 1; 0 if the slot is free
  };

  static std::uint32_t hash_of(std::string_view name) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>{}(name));
  }
  // The slot to look at after `at`; their number is a power of two.
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
  std::size_t first(std::uint32_t hash) const { return hash & (slots_.size() - 1); }

  T* find(std::string_view name, std::uint32_t hash) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = first(hash); slots_[at].entry != 0; at = next(at)) {
      if (slots_[at].hash != hash) continue;
      const Entry& entry = entries_[slots_[at].entry - 1];
      if (entry.name == name) return entry.element;
    }
    return nullptr;
  }

  void place(Slot slot) {
    std::size_t at = first(slot.hash);
    while (slots_[at].entry != 0) at = next(at);
    slots_[at] = slot;
  }

  void grow() {
    constexpr std::size_t kFewest = 8;
    std::vector<Slot> old(slots_.empty() ? kFewest : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.entry != 0) place(slot);
    }
  }

  std::deque<T> items_;  // a deque never moves what it holds
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // at most half of them taken
};

}  // namespace tofu::base
