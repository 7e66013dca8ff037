// The settings of a connection block, checked and with defaults.
//
// Nothing is opened here, and no secret is ever part of an error. For the
// provisioner*.cc files only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace tofu::provisioners {

// A machine that is reached over ssh.
struct SshHost {
  std::string host = {};
  std::uint16_t port = 22;
  std::string user = {};
  std::string password = {};     // empty: none, as all below
  std::string private_key = {};  // as ssh reads it, with a line break at its end
  std::string certificate = {};
  std::string host_key = {};  // the only one to be accepted, or an authority's
};

struct SshSettings {
  SshHost target = {};
  std::optional<SshHost> bastion = {};  // that the target is reached through
  std::optional<bool> agent = {};   // whether keys of the agent are used; absent: if there is one
  std::string agent_identity = {};  // the key of the agent to be tried first
  std::string script_path = {};     // on the target; %RAND% stands for a random number
  bool is_windows = false;          // the target
  std::chrono::milliseconds timeout{};  // for connecting, all attempts together
};

// An error is a clause about the block; secrets are never in it. `connection` is known and without
// marks, and null if there is none.
base::Result<SshSettings> read_connection(const value::Value& connection);

// An error if the shells of Windows would take a part of the path for a command.
base::Result<void> check_windows_path(std::string_view name, std::string_view path);

}  // namespace tofu::provisioners
