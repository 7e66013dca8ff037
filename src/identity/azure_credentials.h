// Access tokens for Azure, by Microsoft Entra ID.
//
// In the order of Azure's own libraries and of OpenTofu's backend: a service principal
// with a client secret, with a certificate, or with a federated token (workload
// identity); the managed identity of the machine; the Azure command line. Variables with
// the prefix ARM_ count before those with AZURE_. ARM_USE_OIDC, ARM_USE_MSI and
// ARM_USE_CLI, set to false, leave one out.
#pragma once

#include <string>

#include "base/result.h"
#include "identity/cloud.h"
#include "net/secret.h"

namespace tofu::identity {

// A token for `resource`, such as https://storage.azure.com, for requests to `service`.
base::Result<net::Secret> find_azure_token(const Cloud& cloud, const net::Origin& service,
                                           const std::string& resource);

}  // namespace tofu::identity
