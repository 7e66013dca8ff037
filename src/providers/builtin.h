// The provider that is part of the language: terraform_data, terraform_remote_state and
// the functions for variables files.
//
// The caller supplies the reader of remote states, because backends are above this component.
#pragma once

#include <functional>
#include <memory>

#include "providers/provider.h"

namespace tofu::providers {

// Reads the state that a terraform_remote_state names: its configuration and its address
// in, its whole object out.
using ReadRemoteState = std::function<DataAnswer(const DataRequest& request)>;

// Without `remote_states`, reading one is an error.
std::unique_ptr<Provider> make_builtin(ReadRemoteState remote_states);

}  // namespace tofu::providers
