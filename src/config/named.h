// A list of things with names: kept in order of declaration, found by name.
//
// Names are unique; whoever finds one taken reports that. Pointers stay valid:
// elements are not moved.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tofu::config {

template <class T>
class Named {
 public:
  // The element, or null if there is none of that name.
  const T* find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : found->second;
  }
  T* find(std::string_view name) {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : found->second;
  }

  // Adds `element` under `name`. Null if the name is taken; the element is then
  // dropped.
  T* add(std::string name, T element) {
    if (index_.contains(name)) return nullptr;
    items_.push_back(std::move(element));
    index_.emplace(std::move(name), &items_.back());
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
  void keep_unfound(T element) { items_.push_back(std::move(element)); }

  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::deque<T> items_;  // a deque never moves what it holds
  std::unordered_map<std::string, T*, Hash, std::equal_to<>> index_;
};

}  // namespace tofu::config
