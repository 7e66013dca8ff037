// The providers of a run: those that are part of this program.
//
// States that a terraform_remote_state names are read here, because backends are above
// the room of providers.
#pragma once

#include <memory>

#include "providers/provider.h"

namespace tofu::commands {

// Threads: any.
class BuiltinProviders final : public providers::ProviderSource {
 public:
  std::unique_ptr<providers::Provider> open(const addrs::Provider& provider,
                                            diag::Diagnostics& diags) override;
};

// What a terraform_remote_state with this configuration gives. Only states in files of
// this machine can be read so far.
providers::DataAnswer read_remote_state(const value::Value& config);

}  // namespace tofu::commands
