#include "encryption/target.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "encryption/ciphers.h"

namespace tofu::encryption {

namespace {

// Under which name the key of a record is kept. No alias is like it.
constexpr std::string_view kRecordKey = "\x01record_key";
constexpr std::size_t kRecordKeyLength = 32;

// Whether the metadata of `keys`, or of what it is chained to, is that of another provider among
// those already tried. Its key provider would not be known then.
const std::string* shared_name(const KeyProvider* keys,
                               std::map<std::string, const KeyProvider*>& tried) {
  for (; keys != nullptr; keys = keys->chained()) {
    if (keys->storage_name().empty()) continue;
    const auto [known, is_new] = tried.emplace(keys->storage_name(), keys);
    if (!is_new && known->second != keys) return &known->first;
  }
  return nullptr;
}

base::Result<void> compare(const StateIdentity& outside, const StateIdentity& inside) {
  if (outside.serial && inside.serial && *outside.serial != *inside.serial) {
    return base::Error{
        fmt::format("it was modified: its serial is {} outside the encrypted part and {} inside",
                    *outside.serial, *inside.serial)};
  }
  if (!outside.lineage.empty() && outside.lineage != inside.lineage) {
    return base::Error{fmt::format(
        "it was modified: its lineage is {:?} outside the encrypted part and {:?} inside",
        outside.lineage, inside.lineage)};
  }
  return {};
}

}  // namespace

bool Target::is_plain() const {
  return std::ranges::all_of(methods_, [](const NamedMethod& each) {
    return each.method && (*each.method)->is_unencrypted();
  });
}

base::Result<std::string> Target::wrap(std::string_view text,
                                       const std::optional<StateIdentity>& identity) const {
  if (writer().is_unencrypted()) return std::string(text);
  const auto encrypted = writer().encrypt(text);
  if (!encrypted) {
    return base::Error{
        fmt::format("{} could not encrypt: {}", methods_.front().address, encrypted.error().what)};
  }
  return envelope_text(identity, encrypted->metadata, encrypted->data);
}

base::Result<std::string> Target::encrypt(std::string_view text) const {
  if (content_ == Content::Plan) return wrap(text, std::nullopt);
  const auto state = read_plain_state(text);
  if (!state) return state.error();
  return wrap(text, state->identity);
}

base::Result<std::string> Target::encrypt_record(std::string_view text) const {
  if (writer().is_unencrypted()) return std::string(text);
  auto key = record_key();
  if (!key) return key.error();
  const auto data = encrypt_aes_gcm(key->key, text, {});
  if (!data) return data.error();
  Metadata metadata = std::move(key->wrapped.metadata);
  metadata.insert_or_assign(std::string(kRecordKey), std::move(key->wrapped.data));
  return envelope_text(std::nullopt, metadata, *data);
}

base::Result<Target::RecordKey> Target::record_key() const {
  const std::lock_guard lock(mutex_);
  if (written_) return *written_;
  auto key = random_key(kRecordKeyLength);
  if (!key) return key.error();
  auto wrapped = writer().encrypt(key->bytes());
  if (!wrapped) {
    return base::Error{
        fmt::format("{} could not encrypt: {}", methods_.front().address, wrapped.error().what)};
  }
  written_ = RecordKey{std::move(*key), std::move(*wrapped)};
  return *written_;
}

base::Result<std::string> Target::decrypt(std::string_view stored) const {
  auto found = read(stored);
  if (!found) return found.error();
  return std::move(found->text);
}

bool Target::is_outdated(std::string_view stored) const {
  const auto found = read(stored);
  return found && found->method != 0;
}

base::Result<std::string> Target::decrypt_record(std::string_view stored) const {
  auto envelope = read_envelope(stored);
  if (!envelope) {
    auto plain = take_unencrypted(stored);
    if (!plain) return plain.error();
    return std::move(plain->text);
  }
  const auto wrapped = envelope->metadata.extract(std::string(kRecordKey));
  if (wrapped.empty()) return base::Error{"it has no key"};
  const auto key = unwrapped_key({wrapped.mapped(), std::move(envelope->metadata)});
  if (!key) return key.error();
  return decrypt_aes_gcm(*key, envelope->data, {});
}

base::Result<Key> Target::unwrapped_key(const Encrypted& wrapped) const {
  const std::lock_guard lock(mutex_);
  const bool is_known =
      read_ && read_->wrapped.data == wrapped.data && read_->wrapped.metadata == wrapped.metadata;
  if (is_known) return read_->key;
  auto found = read_envelope_of({.metadata = wrapped.metadata,
                                 .data = wrapped.data,
                                 .version = std::string(kEnvelopeVersion)});
  if (!found) return found.error();
  Key key(found->text);
  wipe(found->text);
  if (key.size() != kRecordKeyLength) return base::Error{"its key has another length"};
  read_ = RecordKey{std::move(key), wrapped};
  return read_->key;
}

base::Result<Target::Read> Target::read(std::string_view stored) const {
  const auto envelope = read_envelope(stored);
  if (!envelope) {
    if (auto checked = check_unencrypted(stored, envelope.error()); !checked) {
      return checked.error();
    }
    return take_unencrypted(stored);
  }
  auto found = read_envelope_of(*envelope);
  if (!found || content_ == Content::Plan) return found;
  const auto state = read_plain_state(found->text);
  if (!state) return base::Error{"the encrypted data is not a state: " + state.error().what};
  if (auto same = compare(envelope->identity, state->identity); !same) return same.error();
  return found;
}

base::Result<Target::Read> Target::read_envelope_of(const Envelope& envelope) const {
  if (envelope.version != kEnvelopeVersion) {
    return base::Error{
        fmt::format("it was encrypted by a newer version: its encryption_version is {:?}, and {:?} "
                    "is supported",
                    envelope.version, kEnvelopeVersion)};
  }
  std::map<std::string, const KeyProvider*> tried;
  std::string failures;
  for (std::size_t i = 0; i < methods_.size(); ++i) {
    const NamedMethod& each = methods_[i];
    if (!each.method) return each.method.error();
    const Method& method = **each.method;
    if (method.is_unencrypted()) continue;
    if (const std::string* name = shared_name(method.keys(), tried)) {
      return base::Error{fmt::format(
          "{} has a key provider that keeps its metadata as {:?}, as that of a method before it "
          "does. Give each an encrypted_metadata_alias of its own",
          each.address, *name)};
    }
    auto text = method.decrypt(envelope.data, envelope.metadata);
    if (text) return Read{std::move(*text), i};
    const std::string failure = fmt::format("{}: {}", each.address, text.error().what);
    if (text.error().has_no_key) return base::Error{failure};
    failures += "\n  " + failure;
  }
  if (failures.empty()) {
    return base::Error{"it is encrypted, but the configuration has only the method unencrypted"};
  }
  return base::Error{"it could not be decrypted by any method of the configuration:" + failures};
}

base::Result<Target::Read> Target::take_unencrypted(std::string_view text) const {
  for (std::size_t i = 0; i < methods_.size(); ++i) {
    const NamedMethod& each = methods_[i];
    if (each.method && (*each.method)->is_unencrypted()) return Read{std::string(text), i};
  }
  return base::Error{
      "it is not encrypted, but the configuration requires encryption. To migrate it, add a method "
      "\"unencrypted\" as fallback until it has been written again"};
}

base::Result<void> Target::check_unencrypted(std::string_view text,
                                             const base::Error& why_not) const {
  if (content_ == Content::Plan) {
    if (text.starts_with("PK")) return {};
    return base::Error{"it is neither a plan nor an encrypted one: " + why_not.what};
  }
  const auto state = read_plain_state(text);
  if (state && !state->terraform_version.empty()) return {};
  return base::Error{"it is neither a state nor an encrypted one: " +
                     (state ? why_not.what : state.error().what)};
}

}  // namespace tofu::encryption
