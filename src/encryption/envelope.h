// The encrypted form of a state or a plan: a JSON document with the encrypted bytes.
//
// Beside them it has what each key provider needs to find its key again, and for states the
// serial and the lineage, which stores look at. OpenTofu writes and reads the same.
//
// Input: unchecked bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::encryption {

// The metadata of key providers in a file: JSON text by the provider's address or alias.
using Metadata = std::map<std::string, std::string, std::less<>>;

// The two members of a state that stay readable.
struct StateIdentity {
  std::optional<std::uint64_t> serial = {};
  std::string lineage = {};
};

struct Envelope {
  StateIdentity identity = {};
  Metadata metadata = {};
  std::string data = {};     // encrypted
  std::string version = {};  // of the envelope
};

inline constexpr std::string_view kEnvelopeVersion = "v0";

// An error if this is not an envelope.
base::Result<Envelope> read_envelope(std::string_view bytes);
// Whether bytes are an encrypted file, of whatever version.
bool is_envelope(std::string_view bytes);

// On one line. Without an identity, as plans have it, the two members are left out.
std::string envelope_text(const std::optional<StateIdentity>& identity, const Metadata& metadata,
                          std::string_view data);

struct PlainState {
  StateIdentity identity = {};
  std::string terraform_version = {};
};
// The members of a state that are looked at here; an error if this is not a JSON object.
base::Result<PlainState> read_plain_state(std::string_view text);

}  // namespace tofu::encryption
