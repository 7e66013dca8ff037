// Encryption methods: bytes to encrypted bytes and back.
//
// A method that is configured knows where its keys come from. Encrypting gives the metadata
// that goes with the bytes; decrypting is given it again.
//
// Threads: any.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "encryption/key_provider.h"

namespace tofu::encryption {

struct Encrypted {
  std::string data;
  Metadata metadata;
};

struct DecryptionFailure {
  std::string what;  // a clause
  // The key could not be had at all, so that nothing is said about whether it fits: another
  // method is not tried.
  bool has_no_key = false;
};

class Method {
 public:
  virtual ~Method() = default;

  // Texts are stored as they are: for files from before they were encrypted.
  virtual bool is_unencrypted() const { return false; }
  virtual const KeyProvider* keys() const = 0;  // null if it has none
  virtual base::Result<Encrypted> encrypt(std::string_view text) const = 0;
  virtual base::Result<std::string, DecryptionFailure> decrypt(std::string_view data,
                                                               const Metadata& metadata) const = 0;
};

std::shared_ptr<const Method> aes_gcm_method(std::shared_ptr<const KeyProvider> keys,
                                             std::string aad);
// `keys` may be null.
struct ExternalCommands {
  std::vector<std::string> encrypt;
  std::vector<std::string> decrypt;
};
std::shared_ptr<const Method> external_method(std::shared_ptr<const KeyProvider> keys,
                                              ExternalCommands commands,
                                              const std::stop_token& stop);
std::shared_ptr<const Method> unencrypted_method();

}  // namespace tofu::encryption
