// The `encryption` block: how state and plan files are encrypted.
//
// Only its shape is read here. Key providers and methods keep their bodies until
// state is opened, because their arguments may use variables.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "syntax/body.h"

namespace tofu::config {

// `key_provider "pbkdf2" "k" { … }` or `method "aes_gcm" "m" { … }`.
struct EncryptionPart {
  std::string type;
  std::string name;
  std::string encrypted_metadata_alias;  // of key providers only
  syntax::Body config;
  diag::SourceRange range;
};

struct EncryptionTarget {
  std::string name;                            // of remote_state_data_source blocks only
  const syntax::Expr* method = nullptr;        // null if not said
  bool enforced = false;                       // of state and plan only
  std::shared_ptr<EncryptionTarget> fallback;  // shared by copies; never changed
  diag::SourceRange range;
};

struct RemoteEncryption {
  std::optional<EncryptionTarget> fallback;  // `default`
  std::vector<EncryptionTarget> targets;
};

struct Encryption {
  std::vector<EncryptionPart> key_providers;
  std::vector<EncryptionPart> methods;
  std::optional<EncryptionTarget> state;
  std::optional<EncryptionTarget> plan;
  std::optional<RemoteEncryption> remote;
  diag::SourceRange range;
};

// Reads the inside of an `encryption` block whose header is at `range`.
diag::Checked<Encryption> read_encryption(const syntax::Body& body, diag::SourceRange range,
                                          diag::Diagnostics& diags);

// `base` with `override` on top: parts are found again by type and name.
Encryption merge_encryption(Encryption base, Encryption override);

}  // namespace tofu::config
