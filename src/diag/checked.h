// Return types of functions that report problems to a Diagnostics.
//
// A function that returns Checked<...> has succeeded if and only if it added no error. After an
// error the result is empty: no value, false, or null. Warnings do not count.
#pragma once

#include <memory>
#include <optional>

namespace tofu::diag {

namespace internal {

template <class T>
struct CheckedResult {
  using Type = std::optional<T>;
};
template <>
struct CheckedResult<void> {
  using Type = bool;
};
template <class T>
struct CheckedResult<T*> {
  using Type = T*;
};
template <class T>
struct CheckedResult<std::unique_ptr<T>> {
  using Type = std::unique_ptr<T>;
};
template <class T>
struct CheckedResult<std::shared_ptr<T>> {
  using Type = std::shared_ptr<T>;
};

}  // namespace internal

// Checked<T> is std::optional<T>, Checked<void> is bool, and a Checked pointer is that pointer.
template <class T>
using Checked = typename internal::CheckedResult<T>::Type;

}  // namespace tofu::diag
