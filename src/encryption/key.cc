#include "encryption/key.h"

#include <openssl/crypto.h>
#include <utility>

namespace tofu::encryption {

Key Key::zeros(std::size_t length) {
  Key key;
  key.bytes_.resize(length);
  return key;
}

Key& Key::operator=(const Key& other) {
  if (this == &other) return *this;
  wipe();
  bytes_ = std::vector<char>(other.bytes_);
  return *this;
}

Key& Key::operator=(Key&& other) noexcept {
  if (this == &other) return *this;
  wipe();
  bytes_ = std::move(other.bytes_);
  return *this;
}

void Key::wipe() {
  if (!bytes_.empty()) OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

void wipe(std::string& text) {
  if (!text.empty()) OPENSSL_cleanse(text.data(), text.size());
  text.clear();
}

}  // namespace tofu::encryption
