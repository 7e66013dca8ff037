// Services that give out temporary keys of AWS: STS, single sign-on, and those of containers and
// EC2 instances. For aws_credentials.cc, and for components whose configuration names a role to
// assume.
//
// Addresses can be set by the environment variables of Amazon's libraries
// (AWS_ENDPOINT_URL_STS, AWS_EC2_METADATA_SERVICE_ENDPOINT and so on). Documents that
// arrive are not trusted to be whole: keys without a secret are an error.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "identity/aws_config.h"
#include "identity/aws_credentials.h"

namespace tofu::identity {

struct AwsRole {
  std::string arn = {};
  std::string session_name = {};
  std::string external_id = {};
  std::string duration_seconds = {};
  std::string policy = {};  // JSON that restricts the session further
  std::vector<std::string> policy_arns = {};
  std::vector<std::pair<std::string, std::string>> tags = {};
  std::vector<std::string> transitive_tags = {};
};

base::Result<AwsKeys> assume_role(const Cloud& cloud, const AwsKeys& keys, const AwsRole& role,
                                  const std::string& region);
base::Result<AwsKeys> assume_role_with_token(const Cloud& cloud, const std::string& token_file,
                                             const AwsRole& role, const std::string& region);
base::Result<AwsKeys> assume_role_with_web_identity(const Cloud& cloud, std::string token,
                                                    const AwsRole& role, const std::string& region);
// The number of the account that the keys belong to.
base::Result<std::string> aws_account(const Cloud& cloud, const AwsKeys& keys,
                                      const std::string& region);

// By the token that `aws sso login` left in its cache; an old one is renewed there.
base::Result<AwsKeys> sso_keys(const Cloud& cloud, const AwsConfig& config,
                               const AwsConfig::Section& profile);

// Nothing if the environment does not name such a service.
base::Result<std::optional<AwsKeys>> container_keys(const Cloud& cloud);
// Nothing if there is no such service, or no role.
base::Result<std::optional<AwsKeys>> instance_keys(const Cloud& cloud);

// The output of `credential_process`.
base::Result<AwsKeys> process_keys(const Cloud& cloud, const std::string& command);

// For the files of these services alone.

// An error if the id or the secret is missing. `what` names who answered.
base::Result<AwsKeys> whole_keys(std::string_view what, std::string key_id, std::string secret,
                                 std::string token);
// The address of a service: what the environment says, or Amazon's.
base::Result<base::Url> aws_endpoint(const Cloud& cloud,
                                     std::initializer_list<std::string_view> names,
                                     const std::string& usual);
// A time such as 2026-01-02T03:04:05Z. One that is missing has expired.
bool has_expired(std::string_view time);

}  // namespace tofu::identity
