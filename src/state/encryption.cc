#include "state/encryption.h"

namespace tofu::state {

namespace {

class NoEncryption final : public Encryption {
 public:
  bool is_plain() const override { return true; }
  base::Result<std::string> encrypt(std::string_view text) const override {
    return std::string(text);
  }
  base::Result<std::string> decrypt(std::string_view stored) const override {
    return std::string(stored);
  }
  bool is_outdated(std::string_view) const override { return false; }
  base::Result<std::string> encrypt_record(std::string_view text) const override {
    return std::string(text);
  }
  base::Result<std::string> decrypt_record(std::string_view stored) const override {
    // How every encrypted one begins, and no other.
    if (stored.starts_with(R"({"meta":)")) return base::Error{"it is encrypted"};
    return std::string(stored);
  }
};

}  // namespace

const Encryption& no_encryption() {
  static const NoEncryption kNone;
  return kNone;
}

}  // namespace tofu::state
