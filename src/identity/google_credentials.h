// Access tokens for Google Cloud, as Application Default Credentials find them.
//
// In order: the token of GOOGLE_OAUTH_ACCESS_TOKEN; the file (or the JSON itself) that
// GOOGLE_CREDENTIALS or GOOGLE_APPLICATION_CREDENTIALS names; the file that `gcloud auth
// application-default login` writes; the metadata server of the machine. Files may be of
// service accounts, of users, of external accounts (workload identity federation) and of
// impersonated service accounts.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "identity/cloud.h"
#include "net/secret.h"

namespace tofu::identity {

// For requests to `service` with that OAuth scope. Nothing if no credentials are
// configured and the machine has none: requests are anonymous then. Credentials that are
// configured but do not work are an error.
base::Result<std::optional<net::Secret>> find_google_token(const Cloud& cloud,
                                                           const net::Origin& service,
                                                           const std::string& scope);

}  // namespace tofu::identity
