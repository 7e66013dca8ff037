// States of workspaces, kept by the service as versions.
//
// The kinds "cloud" and "remote" of storage. The lock of a state is that of its workspace,
// which has no ID of its own: it is called ORGANIZATION/WORKSPACE.
#pragma once

#include <memory>
#include <string_view>

#include "backends/kinds.h"
#include "backends/remote.h"
#include "cloud/service.h"

namespace tofu::cloud {

// `service` outlives what is returned.
std::unique_ptr<backends::RemoteStorage> make_state_storage(std::shared_ptr<Service> service);

extern const backends::Kind kCloudKind;
extern const backends::Kind kRemoteKind;

// Null if it is neither "cloud" nor "remote".
const backends::Kind* find_kind(std::string_view name);

}  // namespace tofu::cloud
