// Tokens, passwords, keys and requests made of them.
//
// A secret belongs to one origin and is revealed only for being sent there, by the one
// call reveal_to(). It prints as ***, cannot be turned into text or joined with text by
// accident, and is overwritten in memory when it is destroyed. It never becomes an
// argument of a program, which every user of the machine could see.
#pragma once

#include <concepts>
#include <fmt/format.h>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "net/web_url.h"

namespace tofu::net {

class Secret {
 public:
  Secret() = default;
  // Has no origin yet: see rescoped_to().
  explicit Secret(std::string text) : text_(std::move(text)) {}
  Secret(std::string text, Origin origin) : text_(std::move(text)), origin_(std::move(origin)) {}
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept;
  Secret& operator=(const Secret& other);
  Secret& operator=(Secret&& other) noexcept;
  ~Secret() { wipe(); }

  bool is_empty() const { return text_.empty(); }

  // The text, for being sent to `destination` and nowhere else; nothing if the secret
  // belongs to another origin.
  std::optional<std::string_view> reveal_to(const Origin& destination) const;

  // The same secret for `origin`, where its owner says that it is meant for that: the
  // service that a registry names, the token server of an OCI registry.
  Secret rescoped_to(Origin origin) const { return {text_, std::move(origin)}; }

  // Another form of it for the same origin: a header made of a token. `make` keeps no
  // copy of what it is given.
  template <std::invocable<std::string_view> Make>
  Secret derived(const Make& make) const {
    return {make(std::string_view(text_)), origin_};
  }

  operator std::string() const = delete;       // NOLINT: refused in every context
  operator std::string_view() const = delete;  // NOLINT

  friend bool operator==(const Secret&, const Secret&) = default;

 private:
  void wipe();

  std::string text_;
  Origin origin_;
};

template <class Text>
void operator+(const Secret&, const Text&) = delete;
template <class Text>
void operator+(const Text&, const Secret&) = delete;
std::ostream& operator<<(std::ostream& out, const Secret& secret);

// Values of an Authorization header.
Secret bearer_token(const Secret& token);
Secret basic_login(std::string_view user, const Secret& password);

}  // namespace tofu::net

template <>
struct fmt::formatter<tofu::net::Secret> : fmt::formatter<std::string_view> {
  auto format(const tofu::net::Secret&, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format("***", context);
  }
};
