// AWS credentials: keys for signing requests.
//
// Found where Amazon's own libraries look, in their order: environment variables, the
// profile of the shared files (access keys, source_profile and role_arn, single sign-on,
// web identity, credential_process), then the services of containers and of EC2
// instances. Temporary keys come from STS.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "identity/cloud.h"
#include "net/secret.h"
#include "net/web.h"

namespace tofu::identity {

struct AwsKeys {
  std::string key_id = {};
  net::Secret secret = {};         // has no origin yet: see signature()
  net::Secret session_token = {};  // empty for keys that do not expire

  // For requests to a service at `url` and nowhere else.
  net::AwsSignature signature(const base::Url& url, std::string region, std::string service) const;
};

struct AwsIdentity {
  std::optional<AwsKeys> keys = {};  // nothing: requests are anonymous
  std::string region = {};           // that the environment or the profile names; may be empty
};

// `profile` is the user's choice; empty: what the environment says. It is an error if a named
// profile has no credentials, or if a source of credentials that is configured does not work.
// Without any source there are no keys.
base::Result<AwsIdentity> find_aws_identity(const Cloud& cloud, const std::string& profile);

}  // namespace tofu::identity
