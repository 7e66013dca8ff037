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
};

}  // namespace

const Encryption& no_encryption() {
  static const NoEncryption kNone;
  return kNone;
}

}  // namespace tofu::state
