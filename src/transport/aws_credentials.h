// Who we are for S3: keys of the address, the environment or a profile.
//
// The order is that of Amazon's own libraries. What is not looked for: single sign-on,
// web identities and the services of Amazon's machines; without keys requests are
// anonymous.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/environment.h"
#include "transport/source_query.h"
#include "transport/web.h"

namespace tofu::transport {

struct AwsIdentity {
  std::optional<AwsSignature> signature = {};  // without its region
  std::string region = {};                     // that the profile names; may be empty
};

// Takes the arguments that are about this out of `url`. A profile that was asked for
// and is not there is an error.
base::Result<AwsIdentity> take_aws_identity(base::Url& url, const EnvironmentVariable& environment);

// The value of `key` in the section [name] of a file of Amazon's; empty if it is not
// there.
std::string find_in_profile(std::string_view file, std::string_view section, std::string_view key);

}  // namespace tofu::transport
