// The one place between the text of a state and the bytes that are stored.
//
// State files, their backups, errored.tfstate and the records of a journal all pass through it, in
// both directions, so that none of them can be left unencrypted. Methods and keys come from the
// configuration; higher components choose one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::state {

class Encryption {
 public:
  virtual ~Encryption() = default;

  // Whether texts are stored as they are. Large ones then need not be held whole.
  virtual bool is_plain() const = 0;
  // The text of a whole file.
  virtual base::Result<std::string> encrypt(std::string_view text) const = 0;
  virtual base::Result<std::string> decrypt(std::string_view stored) const = 0;
  // Whether what decrypt() could read was encrypted in another way than encrypt() does it:
  // it is to be stored anew, even if nothing else changed.
  virtual bool is_outdated(std::string_view stored) const = 0;

  // One record of a journal.
  virtual base::Result<std::string> encrypt_record(std::string_view text) const = 0;
  virtual base::Result<std::string> decrypt_record(std::string_view stored) const = 0;
};

// Stores texts as they are.
const Encryption& no_encryption();

}  // namespace tofu::state
