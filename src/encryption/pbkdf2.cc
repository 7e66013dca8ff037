#include "encryption/pbkdf2.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/json_layout.h"
#include "base/json_writer.h"
#include "state/json_fields.h"

namespace tofu::encryption {

namespace {

std::string_view name_of(KeyHash hash) { return hash == KeyHash::Sha256 ? "sha256" : "sha512"; }

std::string metadata_text(const Derivation& how) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.field("salt", base::base64_encode(how.salt));
  json.field("iterations", how.iterations);
  json.field("hash_function", name_of(how.hash));
  json.field("key_length", how.key_length);
  json.end_object();
  return text;
}

// Nothing if a part is missing: no key belongs to it then.
base::Result<std::optional<Derivation>> read_metadata(std::string_view bytes) {
  std::string text;
  if (!base::append_compact_json(text, bytes)) return base::Error{"it is not valid JSON"};
  std::string salt;
  std::string hash;
  std::uint64_t iterations = 0;
  std::uint64_t key_length = 0;
  state::JsonFields fields(text);
  fields.members("metadata", [&](std::string_view name) {
    if (state::is_field(name, "salt")) {
      fields.text("salt", salt);
    } else if (state::is_field(name, "hash_function")) {
      fields.text("hash_function", hash);
    } else if (state::is_field(name, "iterations")) {
      fields.number("iterations", iterations);
    } else if (state::is_field(name, "key_length")) {
      fields.number("key_length", key_length);
    } else {
      fields.skip();
    }
  });
  if (!fields.fault().empty()) return base::Error{fields.fault()};
  auto salt_bytes = base::base64_decode(salt);
  if (!salt_bytes) return base::Error{"its salt is not in base64"};
  if (salt_bytes->empty() || hash.empty() || iterations == 0 || key_length == 0) {
    return std::optional<Derivation>();
  }
  const auto known_hash = key_hash_of_name(hash);
  if (!known_hash) return base::Error{fmt::format("its hash function {:?} is not known", hash)};
  if (iterations > kMaxIterations) {
    return base::Error{
        fmt::format("it asks for {} iterations, more than {}", iterations, kMaxIterations)};
  }
  if (key_length > kMaxKeyLength) {
    return base::Error{
        fmt::format("it asks for a key of {} bytes, more than {}", key_length, kMaxKeyLength)};
  }
  return std::optional(Derivation{std::move(*salt_bytes), static_cast<std::uint32_t>(iterations),
                                  static_cast<std::uint32_t>(key_length), *known_hash});
}

class Pbkdf2 final : public KeyProvider {
 public:
  Pbkdf2(std::string storage_name, Pbkdf2Settings settings)
      : KeyProvider(std::move(storage_name)), settings_(std::move(settings)) {}

  std::optional<std::size_t> key_length() const override { return settings_.key_length; }
  const KeyProvider* chained() const override { return settings_.chain.get(); }

  base::Result<void> prepare() const override {
    if (!settings_.chain) return {};
    const auto passphrase = settings_.chain->encryption_key();
    if (!passphrase) return passphrase.error();
    return check_length(passphrase->key);
  }

 protected:
  base::Result<NewKey> make_key() const override {
    NewKey made;
    Key passphrase = settings_.passphrase;
    if (settings_.chain) {
      auto chained = settings_.chain->encryption_key();
      if (!chained) return chained;
      if (const auto checked = check_length(chained->key); !checked) return checked.error();
      passphrase = std::move(chained->key);
      made.metadata = std::move(chained->metadata);
    }
    auto salt = random_bytes(settings_.salt_length);
    if (!salt) return salt.error();
    const Derivation how{std::move(*salt), settings_.iterations, settings_.key_length,
                         settings_.hash};
    auto key = derive_key(passphrase, how);
    if (!key) return key.error();
    made.key = std::move(*key);
    made.metadata.emplace(storage_name(), metadata_text(how));
    return made;
  }

  base::Result<Key> find_key(const Metadata& metadata) const override {
    const auto found = metadata.find(storage_name());
    if (found == metadata.end()) return Key();
    const auto how = read_metadata(found->second);
    if (!how) {
      return base::Error{
          fmt::format("the metadata {:?} cannot be used: {}", storage_name(), how.error().what)};
    }
    if (!*how) return Key();
    Key passphrase = settings_.passphrase;
    if (settings_.chain) {
      auto chained = settings_.chain->decryption_key(metadata);
      if (!chained || chained->is_empty()) return chained;
      if (const auto checked = check_length(*chained); !checked) return checked.error();
      passphrase = std::move(*chained);
    }
    return derive_key(passphrase, **how);
  }

 private:
  static base::Result<void> check_length(const Key& passphrase) {
    if (passphrase.size() >= kMinPassphraseLength) return {};
    return base::Error{
        fmt::format("the key that \"chain\" provides has {} bytes, at least {} are "
                    "needed",
                    passphrase.size(), kMinPassphraseLength)};
  }

  const Pbkdf2Settings settings_;
};

}  // namespace

std::shared_ptr<const KeyProvider> pbkdf2_provider(std::string storage_name,
                                                   Pbkdf2Settings settings) {
  return std::make_shared<Pbkdf2>(std::move(storage_name), std::move(settings));
}

std::optional<KeyHash> key_hash_of_name(std::string_view name) {
  if (name == "sha256") return KeyHash::Sha256;
  if (name == "sha512") return KeyHash::Sha512;
  return std::nullopt;
}

}  // namespace tofu::encryption
