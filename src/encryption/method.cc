#include "encryption/method.h"

#include <fmt/format.h>
#include <utility>

#include "base/base64.h"
#include "base/json_layout.h"
#include "base/json_writer.h"
#include "encryption/ciphers.h"
#include "encryption/external_program.h"
#include "state/json_fields.h"

namespace tofu::encryption {

namespace {

using Decrypted = base::Result<std::string, DecryptionFailure>;

constexpr std::string_view kNoKey = "no key belongs to it: it has no metadata of this key provider";
// As large as a state can be, in base64.
constexpr std::uint64_t kMaxAnswerSize = std::uint64_t{32} << 30;

class AesGcm final : public Method {
 public:
  AesGcm(std::shared_ptr<const KeyProvider> keys, std::string aad)
      : keys_(std::move(keys)), aad_(std::move(aad)) {}

  const KeyProvider* keys() const override { return keys_.get(); }

  base::Result<Encrypted> encrypt(std::string_view text) const override {
    auto made = keys_->encryption_key();
    if (!made) return made.error();
    if (!is_aes_key_length(made->key.size())) return wrong_length(made->key);
    auto data = encrypt_aes_gcm(made->key, text, aad_);
    if (!data) return data.error();
    return Encrypted{std::move(*data), std::move(made->metadata)};
  }

  Decrypted decrypt(std::string_view data, const Metadata& metadata) const override {
    const auto key = keys_->decryption_key(metadata);
    if (!key) return DecryptionFailure{key.error().what, true};
    if (key->is_empty()) return DecryptionFailure{std::string(kNoKey)};
    if (!is_aes_key_length(key->size())) return DecryptionFailure{wrong_length(*key).what, true};
    auto text = decrypt_aes_gcm(*key, data, aad_);
    if (!text) return DecryptionFailure{text.error().what};
    return std::move(*text);
  }

 private:
  static base::Error wrong_length(const Key& key) {
    return {fmt::format("AES-GCM needs a key of 16, 24 or 32 bytes, this one has {}", key.size())};
  }

  const std::shared_ptr<const KeyProvider> keys_;
  const std::string aad_;
};

class External final : public Method {
 public:
  External(std::shared_ptr<const KeyProvider> keys, ExternalCommands commands,
           const std::stop_token& stop)
      : keys_(std::move(keys)), commands_(std::move(commands)), stop_(stop) {}

  const KeyProvider* keys() const override { return keys_.get(); }

  base::Result<Encrypted> encrypt(std::string_view text) const override {
    NewKey made;
    if (keys_) {
      auto key = keys_->encryption_key();
      if (!key) return key.error();
      made = std::move(*key);
    }
    auto data = run(commands_.encrypt, made.key, text);
    if (!data) return data.error();
    return Encrypted{std::move(*data), std::move(made.metadata)};
  }

  Decrypted decrypt(std::string_view data, const Metadata& metadata) const override {
    Key key;
    if (keys_) {
      auto found = keys_->decryption_key(metadata);
      if (!found) return DecryptionFailure{found.error().what, true};
      if (found->is_empty()) return DecryptionFailure{std::string(kNoKey)};
      key = std::move(*found);
    }
    if (data.empty()) return DecryptionFailure{"it contains no encrypted data"};
    auto text = run(commands_.decrypt, key, data);
    if (!text) return DecryptionFailure{text.error().what};
    return std::move(*text);
  }

 private:
  base::Result<std::string> run(const std::vector<std::string>& command, const Key& key,
                                std::string_view payload) const {
    std::string input;
    base::JsonWriter json(input);
    json.begin_object();
    if (!key.is_empty()) {
      std::string text = base::base64_encode(key.bytes());
      json.field("key", text);
      wipe(text);
    }
    json.field("payload", base::base64_encode(payload));
    json.end_object();
    auto answer = run_external({.command = command,
                                .magic = "OpenTofu-External-Encryption-Method",
                                .output_limit = kMaxAnswerSize,
                                .stop = stop_},
                               std::move(input));
    if (!answer) return answer;
    auto bytes = read_payload(*answer);
    wipe(*answer);
    if (bytes) return bytes;
    return base::Error{fmt::format("the program {:?} failed: {}", command[0], bytes.error().what)};
  }

  static base::Result<std::string> read_payload(std::string_view answer) {
    std::string text;
    if (!base::append_compact_json(text, answer))
      return base::Error{"its answer is not valid JSON"};
    std::string payload;
    state::JsonFields fields(text);
    fields.members("answer", [&](std::string_view name) {
      if (state::is_field(name, "payload")) return fields.text("payload", payload);
      fields.skip();
      fields.fail(name, "left out: the protocol does not have it");
    });
    if (!fields.fault().empty()) return base::Error{"in its answer, " + fields.fault()};
    auto bytes = base::base64_decode(payload);
    if (!bytes) return base::Error{"the \"payload\" of its answer is not in base64"};
    return std::move(*bytes);
  }

  const std::shared_ptr<const KeyProvider> keys_;
  const ExternalCommands commands_;
  std::stop_token stop_;
};

class Unencrypted final : public Method {
 public:
  bool is_unencrypted() const override { return true; }
  const KeyProvider* keys() const override { return nullptr; }
  base::Result<Encrypted> encrypt(std::string_view text) const override {
    return Encrypted{std::string(text), {}};
  }
  Decrypted decrypt(std::string_view, const Metadata&) const override {
    return DecryptionFailure{"it is encrypted"};
  }
};

}  // namespace

std::shared_ptr<const Method> aes_gcm_method(std::shared_ptr<const KeyProvider> keys,
                                             std::string aad) {
  return std::make_shared<AesGcm>(std::move(keys), std::move(aad));
}

std::shared_ptr<const Method> external_method(std::shared_ptr<const KeyProvider> keys,
                                              ExternalCommands commands,
                                              const std::stop_token& stop) {
  return std::make_shared<External>(std::move(keys), std::move(commands), stop);
}

std::shared_ptr<const Method> unencrypted_method() { return std::make_shared<Unencrypted>(); }

}  // namespace tofu::encryption
