// Memory for objects with the same lifetime, such as one file's syntax tree.
//
// Input: trivially destructible objects only; nothing allocated here is ever destroyed one by one,
// so a deep tree costs no recursion at its end.
//
// Promise: pointers stay valid until the arena is destroyed. Not thread-safe: one task fills an
// arena; then all threads may read it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tofu::base {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  ~Arena();

  void* allocate(std::size_t size, std::size_t alignment) {
    auto at = (cursor_ + alignment - 1) & ~(alignment - 1);
    if (at + size > limit_) return allocate_slow(size, alignment);
    cursor_ = at + size;
    return reinterpret_cast<void*>(at);
  }

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena never runs destructors");
    return ::new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  // Copies `items` into the arena. An empty span costs nothing.
  template <class T>
  std::span<T> copy(std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    if (items.empty()) return {};
    auto* out = static_cast<T*>(allocate(items.size_bytes(), alignof(T)));
    std::uninitialized_copy(items.begin(), items.end(), out);
    return {out, items.size()};
  }
  template <class T>
  std::span<T> copy(const std::vector<T>& items) {
    return copy(std::span<const T>(items));
  }

  std::string_view copy(std::string_view text);

  std::size_t bytes_reserved() const { return reserved_; }

 private:
  void* allocate_slow(std::size_t size, std::size_t alignment);

  std::uintptr_t cursor_ = 0;
  std::uintptr_t limit_ = 0;
  std::size_t reserved_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
};

}  // namespace tofu::base
