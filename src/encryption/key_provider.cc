#include "encryption/key_provider.h"

namespace tofu::encryption {

namespace {

class FixedKeys final : public KeyProvider {
 public:
  FixedKeys(Key encryption, Key decryption)
      : KeyProvider({}), encryption_(std::move(encryption)), decryption_(std::move(decryption)) {}

  std::optional<std::size_t> key_length() const override { return encryption_.size(); }

 protected:
  base::Result<NewKey> make_key() const override { return NewKey{encryption_, {}}; }
  base::Result<Key> find_key(const Metadata&) const override { return decryption_; }

 private:
  const Key encryption_;
  const Key decryption_;
};

}  // namespace

base::Result<NewKey> KeyProvider::encryption_key() const {
  const std::lock_guard lock(mutex_);
  if (!made_) {
    auto made = make_key();
    if (!made) return made;
    made_ = std::move(*made);
  }
  return *made_;
}

base::Result<Key> KeyProvider::decryption_key(const Metadata& metadata) const {
  const std::lock_guard lock(mutex_);
  if (!found_ || found_->metadata != metadata) {
    auto key = find_key(metadata);
    if (!key) return key;
    found_ = Found{metadata, std::move(*key)};
  }
  return found_->key;
}

base::Result<void> KeyProvider::prepare() const {
  const auto made = encryption_key();
  if (!made) return made.error();
  return {};
}

std::shared_ptr<const KeyProvider> fixed_keys(Key encryption, Key decryption) {
  return std::make_shared<FixedKeys>(std::move(encryption), std::move(decryption));
}

}  // namespace tofu::encryption
