// What the provider that is part of this program cannot do by itself.
//
// States that a terraform_remote_state names are read here, because backends are above
// the room of providers.
#pragma once

#include "providers/provider.h"
#include "workdir/access.h"

namespace tofu::runs {

// What a terraform_remote_state with this configuration gives, from any backend, decrypted as
// the encryption block says for its address. Threads: any.
providers::DataAnswer read_remote_state(const providers::DataRequest& request,
                                        workdir::StateAccess& access);

}  // namespace tofu::runs
