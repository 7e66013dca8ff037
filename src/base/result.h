// A value, or an error.
//
// For components that know nothing of source files, such as base and value: their errors have a
// text but no source range. The caller knows the place and turns an Error into a diagnostic.
//
// Promise: a Result cannot be dropped unread, and reading the value of a failed one is an
// InternalError, not undefined behavior.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace tofu::base {

struct Error {
  std::string what;  // a clause without a final period, such as "a number is required"
};

template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : content_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return content_.index() == 0; }
  bool ok() const { return content_.index() == 0; }

  const T& value() const& {
    TOFU_CHECK(ok(), "the value of a failed Result is never read");
    return *std::get_if<0>(&content_);
  }
  T& value() & {
    TOFU_CHECK(ok(), "the value of a failed Result is never read");
    return *std::get_if<0>(&content_);
  }
  T&& value() && {
    TOFU_CHECK(ok(), "the value of a failed Result is never read");
    return std::move(*std::get_if<0>(&content_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const E& error() const& {
    TOFU_CHECK(!ok(), "the error of a successful Result is never read");
    return *std::get_if<1>(&content_);
  }
  E&& error() && {
    TOFU_CHECK(!ok(), "the error of a successful Result is never read");
    return std::move(*std::get_if<1>(&content_));
  }

 private:
  std::variant<T, E> content_;
};

// A Result without a value: success, or the reason for failure.
template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(E error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_; }
  bool ok() const { return !error_; }
  const E& error() const {
    TOFU_CHECK(error_.has_value(), "the error of a successful Result is never read");
    return *error_;
  }

 private:
  std::optional<E> error_;
};

}  // namespace tofu::base
