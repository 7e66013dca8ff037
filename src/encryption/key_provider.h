// Key providers: where keys come from.
//
// A configured key provider makes a key for encrypting, with metadata that is stored beside the
// encrypted data, and finds the key again by that metadata. Both may run a program or ask a
// service, so each answer is kept for as long as the provider lives: one key serves a run.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "encryption/envelope.h"
#include "encryption/key.h"

namespace tofu::encryption {

struct NewKey {
  Key key;
  Metadata metadata;  // of this provider and those that it is chained to
};

class KeyProvider {
 public:
  // `storage_name` is what its metadata is kept under.
  explicit KeyProvider(std::string storage_name) : storage_name_(std::move(storage_name)) {}
  virtual ~KeyProvider() = default;
  KeyProvider(const KeyProvider&) = delete;
  KeyProvider& operator=(const KeyProvider&) = delete;

  base::Result<NewKey> encryption_key() const;
  // The key that belongs to what has this metadata; an empty one if the provider does not know. An
  // error if it should, but failed.
  base::Result<Key> decryption_key(const Metadata& metadata) const;

  // Does everything that could fail later, when a state has to be written, except work that is only
  // slow.
  virtual base::Result<void> prepare() const;

  // Of keys for encrypting, where that is known beforehand.
  virtual std::optional<std::size_t> key_length() const { return std::nullopt; }

  const std::string& storage_name() const { return storage_name_; }
  // The key provider that its own key comes from; null if nothing.
  virtual const KeyProvider* chained() const { return nullptr; }

 protected:
  virtual base::Result<NewKey> make_key() const = 0;
  virtual base::Result<Key> find_key(const Metadata& metadata) const = 0;

 private:
  struct Found {
    Metadata metadata;
    Key key;
  };

  const std::string storage_name_;
  mutable std::mutex mutex_;  // for what follows
  mutable std::optional<NewKey> made_;
  mutable std::optional<Found> found_;  // the last one
};

// Keys that the configuration has written out; nothing is kept of them.
std::shared_ptr<const KeyProvider> fixed_keys(Key encryption, Key decryption);

}  // namespace tofu::encryption
