#include "net/secret.h"

#include <ostream>
#include <string.h>

#include "base/base64.h"

namespace tofu::net {

Secret::Secret(Secret&& other) noexcept
    : text_(std::move(other.text_)), origin_(std::move(other.origin_)) {
  other.wipe();
}

Secret& Secret::operator=(const Secret& other) {
  if (this == &other) return *this;
  wipe();
  text_ = other.text_;
  origin_ = other.origin_;
  return *this;
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  wipe();
  text_ = std::move(other.text_);
  origin_ = std::move(other.origin_);
  other.wipe();
  return *this;
}

// A short text stays in the object that it was moved out of, so all of it is overwritten.
void Secret::wipe() {
  text_.resize(text_.capacity());
  ::explicit_bzero(text_.data(), text_.size());
  text_.clear();
}

std::optional<std::string_view> Secret::reveal_to(const Origin& destination) const {
  if (origin_ == Origin() || origin_ != destination) return std::nullopt;
  return text_;
}

std::ostream& operator<<(std::ostream& out, const Secret&) { return out << "***"; }

Secret bearer_token(const Secret& token) {
  return token.derived([](std::string_view text) { return "Bearer " + std::string(text); });
}

Secret basic_login(std::string_view user, const Secret& password) {
  return password.derived([&](std::string_view text) {
    std::string pair(user);
    pair.append(":").append(text);
    return "Basic " + base::base64_encode(pair);
  });
}

}  // namespace tofu::net
