// One kind of file with its methods: the state, plans, or states that are read by
// terraform_remote_state.
//
// The first method writes; all of them are tried for reading, in their order. A file that is not
// encrypted is read only if the method `unencrypted` is one of them. Reading returns the complete,
// unchanged content or an error.
//
// Records of a journal are many and small, while a method may have to run a program each
// time. So they are encrypted with a key of their own, by AES-GCM, and each has that key
// beside it, encrypted by the method once.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "encryption/method.h"
#include "state/encryption.h"

namespace tofu::encryption {

enum class Content : std::uint8_t { State, Plan };

struct NamedMethod {
  std::string address;  // method.aes_gcm.m
  // An invalid fallback is an error only when it is needed.
  base::Result<std::shared_ptr<const Method>> method;
};

class Target final : public state::Encryption {
 public:
  // There is at least one method, and the first is one.
  Target(Content content, std::vector<NamedMethod> methods)
      : content_(content), methods_(std::move(methods)) {}

  bool is_plain() const override;
  base::Result<std::string> encrypt(std::string_view text) const override;
  base::Result<std::string> decrypt(std::string_view stored) const override;
  bool is_outdated(std::string_view stored) const override;
  base::Result<std::string> encrypt_record(std::string_view text) const override;
  base::Result<std::string> decrypt_record(std::string_view stored) const override;

 private:
  struct RecordKey {
    Key key;
    Encrypted wrapped;
  };
  struct Read {
    std::string text;
    std::size_t method = 0;  // which one read it
  };

  const Method& writer() const { return **methods_.front().method; }
  base::Result<std::string> wrap(std::string_view text,
                                 const std::optional<StateIdentity>& identity) const;
  base::Result<Read> read(std::string_view stored) const;
  base::Result<Read> read_envelope_of(const Envelope& envelope) const;
  base::Result<Read> take_unencrypted(std::string_view text) const;
  base::Result<void> check_unencrypted(std::string_view text, const base::Error& why_not) const;
  // The key of the records that are written.
  base::Result<RecordKey> record_key() const;
  // That of records that are read.
  base::Result<Key> unwrapped_key(const Encrypted& wrapped) const;

  const Content content_;
  const std::vector<NamedMethod> methods_;
  mutable std::mutex mutex_;  // for what follows
  mutable std::optional<RecordKey> written_;
  mutable std::optional<RecordKey> read_;  // the last one
};

}  // namespace tofu::encryption
