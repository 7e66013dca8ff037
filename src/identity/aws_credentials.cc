#include "identity/aws_credentials.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "identity/aws_config.h"
#include "identity/aws_services.h"

namespace tofu::identity {

namespace {

// A chain of profiles that name each other could be endless.
constexpr std::size_t kMaxProfiles = 8;

using Keys = base::Result<std::optional<AwsKeys>>;

Keys some(base::Result<AwsKeys> keys) {
  if (!keys) return std::move(keys).error();
  return std::optional(std::move(*keys));
}

std::optional<AwsKeys> keys_in(std::string key_id, std::string secret, std::string token) {
  if (key_id.empty() || secret.empty()) return std::nullopt;
  return AwsKeys{std::move(key_id), net::Secret(std::move(secret)), net::Secret(std::move(token))};
}

class Finder {
 public:
  Finder(const Cloud& cloud, std::string region)
      : cloud_(cloud), config_(AwsConfig::read(cloud.environment)), region_(std::move(region)) {}

  const AwsConfig& config() const { return config_; }
  void use_region(std::string region) { region_ = std::move(region); }

  std::optional<AwsKeys> of_environment() const {
    return keys_in(first_variable(cloud_.environment, {"AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY"}),
                   first_variable(cloud_.environment, {"AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY"}),
                   std::string(cloud_.environment("AWS_SESSION_TOKEN")));
  }

  // A web identity that the environment names; nothing if it names none.
  Keys of_web_identity() const {
    const std::string file(cloud_.environment("AWS_WEB_IDENTITY_TOKEN_FILE"));
    if (file.empty()) return std::optional<AwsKeys>();
    const AwsRole role{.arn = std::string(cloud_.environment("AWS_ROLE_ARN")),
                       .session_name = std::string(cloud_.environment("AWS_ROLE_SESSION_NAME"))};
    return some(assume_role_with_token(cloud_, file, role, region_));
  }

  // Services of the machine this runs on.
  Keys of_machine() const {
    auto keys = container_keys(cloud_);
    if (!keys || *keys) return keys;
    return instance_keys(cloud_);
  }

  // Nothing if the profile says nothing about credentials.
  Keys of_profile(const std::string& name);

 private:
  Keys basis_of(const std::string& name, const AwsConfig::Section& profile);
  Keys of_source(const std::string& source) const;

  const Cloud& cloud_;
  AwsConfig config_;
  std::string region_;
  std::vector<std::string> visited_;
};

Keys Finder::of_source(const std::string& source) const {
  if (source == "Environment") return of_environment();
  if (source == "EcsContainer") return container_keys(cloud_);
  if (source == "Ec2InstanceMetadata") return instance_keys(cloud_);
  return base::Error{fmt::format("credential_source {:?} is not supported", source)};
}

// The credentials for assuming a role, or those of a profile without a role.
Keys Finder::basis_of(const std::string& name, const AwsConfig::Section& profile) {
  const std::string source = setting(profile, "source_profile");
  auto own =
      keys_in(setting(profile, "aws_access_key_id"), setting(profile, "aws_secret_access_key"),
              setting(profile, "aws_session_token"));
  if (!source.empty() && source != name) return of_profile(source);
  if (own) return own;
  const std::string kind = setting(profile, "credential_source");
  if (!kind.empty()) return of_source(kind);
  if (!setting(profile, "sso_account_id").empty()) {
    return some(sso_keys(cloud_, config_, profile));
  }
  const std::string command = setting(profile, "credential_process");
  if (!command.empty()) return some(process_keys(cloud_, command));
  return std::optional<AwsKeys>();
}

Keys Finder::of_profile(const std::string& name) {
  if (visited_.size() == kMaxProfiles) {
    return base::Error{"the profiles of the AWS configuration name each other without end"};
  }
  visited_.push_back(name);
  const AwsConfig::Section* profile = config_.profile(name);
  if (profile == nullptr) {
    return base::Error{
        fmt::format("the AWS configuration has no profile {:?}; `aws configure` makes one", name)};
  }
  const AwsRole role{.arn = setting(*profile, "role_arn"),
                     .session_name = setting(*profile, "role_session_name"),
                     .external_id = setting(*profile, "external_id"),
                     .duration_seconds = setting(*profile, "duration_seconds")};
  const std::string token_file = setting(*profile, "web_identity_token_file");
  if (!token_file.empty()) {
    return some(assume_role_with_token(cloud_, token_file, role, region_));
  }
  auto basis = basis_of(name, *profile);
  if (!basis || role.arn.empty()) return basis;
  if (!setting(*profile, "mfa_serial").empty()) {
    return base::Error{fmt::format(
        "the profile {:?} wants a code of a second device, which cannot be asked for", name)};
  }
  if (!*basis) {
    return base::Error{
        fmt::format("the profile {:?} has a role_arn, but no credentials to assume it with", name)};
  }
  return some(assume_role(cloud_, **basis, role, region_));
}

}  // namespace

net::AwsSignature AwsKeys::signature(const base::Url& url, std::string region,
                                     std::string service) const {
  return {.key_id = key_id,
          .secret = secret.rescoped_to(net::Origin(url)),
          .session_token = session_token.rescoped_to(net::Origin(url)),
          .region = std::move(region),
          .service = std::move(service)};
}

base::Result<AwsIdentity> find_aws_identity(const Cloud& cloud, const std::string& profile) {
  AwsIdentity identity{.region =
                           first_variable(cloud.environment, {"AWS_REGION", "AWS_DEFAULT_REGION"})};
  Finder finder(cloud, identity.region);
  std::string name = profile;
  if (name.empty()) {
    identity.keys = finder.of_environment();
    name = first_variable(cloud.environment, {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"});
  }
  const bool is_named = !name.empty();
  if (!is_named) name = "default";
  const AwsConfig::Section* section = finder.config().profile(name);
  if (identity.region.empty() && section != nullptr) {
    identity.region = setting(*section, "region");
    finder.use_region(identity.region);
  }
  if (identity.keys) return identity;
  Keys keys = std::optional<AwsKeys>();
  if (profile.empty()) keys = finder.of_web_identity();
  if (keys && !*keys && (is_named || section != nullptr)) keys = finder.of_profile(name);
  if (keys && !*keys && !is_named) keys = finder.of_machine();
  if (!keys) return std::move(keys).error();
  if (!*keys && is_named) {
    return base::Error{
        fmt::format("the profile {:?} of the AWS configuration has no credentials", name)};
  }
  identity.keys = std::move(*keys);
  return identity;
}

}  // namespace tofu::identity
