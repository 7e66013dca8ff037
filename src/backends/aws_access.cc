#include "backends/aws_access.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "backends/remote.h"
#include "base/ascii.h"
#include "base/file.h"
#include "functions/timestamp.h"
#include "net/proxies.h"

namespace tofu::backends {

namespace {

using identity::AwsRole;
using value::Type;

std::vector<SettingSchema> role_schemas() {
  return {{.name = "duration", .about = "How long the session lasts, as in 1h."},
          {.name = "policy", .about = "A policy in JSON that restricts the session."},
          {.name = "policy_arns", .type = Type::set(Type::string()), .about = "Policies likewise."},
          {.name = "role_arn", .about = "The role to assume."},
          {.name = "session_name", .about = "The name of the session."}};
}

// Between a quarter of an hour and half a day, in seconds.
std::string read_duration(const Settings& settings, std::string_view name) {
  const std::string text = settings.text(name);
  if (text.empty()) return {};
  const auto time = functions::parse_duration(text);
  const std::int64_t seconds = time ? *time / 1'000'000'000 : 0;
  if (time && seconds >= 15 * 60 && seconds <= 12 * 60 * 60) return std::to_string(seconds);
  settings.refuse(name, "it is not a duration between 15m and 12h");
  return {};
}

void check_role(const Settings& settings, const AwsRole& role) {
  for (const std::string_view name : {"external_id", "policy", "session_name"}) {
    const bool is_blank = settings.has(name) && base::trimmed(settings.text(name)).empty();
    if (is_blank) settings.refuse(name, "it is empty");
  }
  for (const std::string& arn : role.policy_arns) {
    if (!arn.starts_with("arn:") || arn.find(":policy/") == std::string::npos) {
      settings.refuse("policy_arns", fmt::format("{:?} is not the ARN of a policy", arn));
    }
  }
}

AwsRole read_role(const Settings& settings) {
  AwsRole role{.arn = settings.needed_text("role_arn"),
               .session_name = settings.text("session_name"),
               .external_id = settings.text("external_id"),
               .duration_seconds = read_duration(settings, "duration"),
               .policy = settings.text("policy"),
               .policy_arns = settings.list("policy_arns"),
               .tags = settings.pairs("tags"),
               .transitive_tags = settings.list("transitive_tag_keys")};
  check_role(settings, role);
  return role;
}

// As it was written before there was "assume_role".
std::optional<AwsRole> read_old_role(const Settings& settings, bool has_new) {
  bool any = false;
  for (const std::string_view name :
       {"role_arn", "session_name", "external_id", "assume_role_duration_seconds",
        "assume_role_policy", "assume_role_policy_arns", "assume_role_tags",
        "assume_role_transitive_tag_keys"}) {
    if (!settings.has(name)) continue;
    any = true;
    if (has_new) settings.refuse(name, "it excludes \"assume_role\", which has the same setting");
  }
  if (!any || has_new || settings.text("role_arn").empty()) return std::nullopt;
  AwsRole role{.arn = settings.text("role_arn"),
               .session_name = settings.text("session_name"),
               .external_id = settings.text("external_id"),
               .policy = settings.text("assume_role_policy"),
               .policy_arns = settings.list("assume_role_policy_arns"),
               .tags = settings.pairs("assume_role_tags"),
               .transitive_tags = settings.list("assume_role_transitive_tag_keys")};
  if (const std::int64_t seconds = settings.number("assume_role_duration_seconds"); seconds > 0) {
    role.duration_seconds = std::to_string(seconds);
  }
  return role;
}

void read_web_identity(const Settings& settings, AwsSettings& aws) {
  const auto block = settings.inside("assume_role_with_web_identity");
  if (!block) return;
  aws.web_role = AwsRole{.arn = block->needed_text("role_arn", {"AWS_ROLE_ARN"}),
                         .session_name = block->text("session_name", {"AWS_ROLE_SESSION_NAME"}),
                         .duration_seconds = read_duration(*block, "duration"),
                         .policy = block->text("policy"),
                         .policy_arns = block->list("policy_arns")};
  check_role(*block, *aws.web_role);
  aws.web_token = block->text("web_identity_token", {"AWS_WEB_IDENTITY_TOKEN"});
  aws.web_token_file = block->text("web_identity_token_file", {"AWS_WEB_IDENTITY_TOKEN_FILE"});
  if (block->has("web_identity_token") && block->has("web_identity_token_file")) {
    block->refuse("web_identity_token", "it excludes \"web_identity_token_file\"");
  }
  if (aws.web_token.empty() && aws.web_token_file.empty()) {
    block->refuse("web_identity_token", "it or \"web_identity_token_file\" is needed");
  }
}

// `old` is the setting from before there was "endpoints".
std::string read_endpoint(const Settings& settings, std::string_view name, std::string_view old,
                          Variables variables) {
  const auto endpoints = settings.inside("endpoints");
  const std::string newer = endpoints ? endpoints->text(name) : std::string();
  if (!newer.empty() && settings.has(old)) {
    settings.refuse(old, fmt::format("it excludes \"endpoints.{}\"", name));
  }
  std::string address = newer.empty() ? settings.text(old, variables) : newer;
  if (!address.empty() && address.find("://") == std::string::npos) address = "https://" + address;
  if (!address.empty() && !net::parse_web_url(address)) {
    settings.refuse(newer.empty() ? old : "endpoints", "it is not the address of a web server");
  }
  while (address.ends_with('/')) address.pop_back();
  return address;
}

void read_files(const Settings& settings, AwsSettings& aws) {
  const auto one_of = [&](std::string_view name) {
    const auto files = settings.list(name);
    if (files.size() > 1) settings.refuse(name, "only one file can be given");
    return files.empty() ? std::string() : files[0];
  };
  std::string credentials = one_of("shared_credentials_files");
  if (settings.has("shared_credentials_file")) {
    if (!credentials.empty()) {
      settings.refuse("shared_credentials_file", "it excludes \"shared_credentials_files\"");
    }
    credentials = settings.text("shared_credentials_file");
  }
  if (!credentials.empty()) aws.variables["AWS_SHARED_CREDENTIALS_FILE"] = credentials;
  std::string config = one_of("shared_config_files");
  if (config.empty()) config = settings.variable("AWS_SHARED_CONFIG_FILE");
  if (!config.empty()) aws.variables["AWS_CONFIG_FILE"] = config;
}

void read_connection(const Settings& settings, AwsSettings& aws) {
  aws.dual_stack = settings.flag("use_dualstack_endpoint", {"AWS_USE_DUALSTACK_ENDPOINT"});
  aws.fips = settings.flag("use_fips_endpoint", {"AWS_USE_FIPS_ENDPOINT"});
  aws.tls.without_verification = settings.flag("insecure");
  const std::string bundle = settings.text("custom_ca_bundle", {"AWS_CA_BUNDLE"});
  if (!bundle.empty()) {
    auto text = base::read_file(bundle, std::uint64_t{16} << 20);
    if (text) {
      aws.tls.authorities = std::move(*text);
    } else {
      settings.refuse("custom_ca_bundle", fmt::format("reading it failed: {}", text.error().what));
    }
  }
  aws.proxy = {settings.text("http_proxy"), settings.text("https_proxy"),
               settings.text("no_proxy")};
  aws.retries = settings.number("max_retries", {}, 5);
  if (aws.retries < 0 || aws.retries > 1000) settings.refuse("max_retries", "it is out of range");
  const std::string mode = settings.text("retry_mode", {}, "standard");
  if (mode != "standard" && mode != "adaptive") {
    settings.refuse("retry_mode", "it is neither \"standard\" nor \"adaptive\"");
  }
  // Only services of this machine are meant by these.
  if (settings.flag("skip_metadata_api_check")) aws.variables["AWS_EC2_METADATA_DISABLED"] = "true";
  std::string metadata = settings.text("ec2_metadata_service_endpoint");
  std::string metadata_mode = settings.text("ec2_metadata_service_endpoint_mode",
                                            {"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"});
  metadata_mode = base::ascii_lower(metadata_mode);
  if (metadata_mode == "ipv6" && metadata.empty()) metadata = "http://[fd00:ec2::254]";
  if (!metadata_mode.empty() && metadata_mode != "ipv4" && metadata_mode != "ipv6") {
    settings.refuse("ec2_metadata_service_endpoint_mode", "it is neither IPv4 nor IPv6");
  }
  if (!metadata.empty()) aws.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = metadata;
}

bool says_expired(const net::WebReply& reply) {
  return (reply.status == 400 || reply.status == 403) &&
         reply.body.find("ExpiredToken") != std::string::npos;
}

}  // namespace

std::string aws_domain(std::string_view region) {
  return region.starts_with("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}

std::vector<SettingSchema> aws_setting_schemas() {
  const Type text = Type::string();
  const Type flag = Type::boolean();
  const Type texts = Type::set(Type::string());
  const Type pairs = Type::map(Type::string());
  std::vector<SettingSchema> role = role_schemas();
  role.push_back({.name = "external_id", .about = "The external ID of the role."});
  role.push_back({.name = "tags", .type = pairs, .about = "Tags of the session."});
  role.push_back(
      {.name = "transitive_tag_keys", .type = texts, .about = "Tags that further sessions keep."});
  std::vector<SettingSchema> web = role_schemas();
  web.push_back({.name = "web_identity_token", .about = "The token.", .sensitive = true});
  web.push_back({.name = "web_identity_token_file", .about = "A file with the token."});
  return {
      {.name = "region", .about = "The region of the bucket and of the table."},
      {.name = "access_key", .about = "The ID of the access key."},
      {.name = "secret_key", .about = "The secret access key.", .sensitive = true},
      {.name = "token", .about = "The session token of temporary keys.", .sensitive = true},
      {.name = "profile", .about = "A profile of the files of the AWS command line."},
      {.name = "shared_credentials_file", .type = text, .about = {}, .deprecated = true},
      {.name = "shared_credentials_files", .type = texts, .about = "Where profiles have keys."},
      {.name = "shared_config_files", .type = texts, .about = "Where profiles have settings."},
      {.name = "assume_role", .about = "A role to assume.", .inside = role},
      {.name = "assume_role_with_web_identity",
       .about = "A role to assume with a token of another identity provider.",
       .inside = web},
      {.name = "role_arn", .about = {}, .deprecated = true},
      {.name = "session_name", .about = {}, .deprecated = true},
      {.name = "external_id", .about = {}, .deprecated = true},
      {.name = "assume_role_duration_seconds", .type = Type::number(), .deprecated = true},
      {.name = "assume_role_policy", .about = {}, .deprecated = true},
      {.name = "assume_role_policy_arns", .type = texts, .deprecated = true},
      {.name = "assume_role_tags", .type = pairs, .deprecated = true},
      {.name = "assume_role_transitive_tag_keys", .type = texts, .deprecated = true},
      {.name = "allowed_account_ids", .type = texts, .about = "Accounts that may be used."},
      {.name = "forbidden_account_ids", .type = texts, .about = "Accounts that may not be used."},
      {.name = "endpoints",
       .about = "Addresses of services that are not Amazon's own.",
       .inside = {{.name = "dynamodb"}, {.name = "iam"}, {.name = "s3"}, {.name = "sts"}}},
      {.name = "endpoint", .about = {}, .deprecated = true},
      {.name = "dynamodb_endpoint", .about = {}, .deprecated = true},
      {.name = "iam_endpoint", .about = {}, .deprecated = true},
      {.name = "sts_endpoint", .about = {}, .deprecated = true},
      {.name = "sts_region", .about = "The region of STS."},
      {.name = "max_retries", .type = Type::number(), .about = "How often a request is repeated."},
      {.name = "retry_mode", .about = "\"standard\" or \"adaptive\"."},
      {.name = "custom_ca_bundle", .about = "A file with authorities to trust."},
      {.name = "ec2_metadata_service_endpoint", .about = "The metadata service of the machine."},
      {.name = "ec2_metadata_service_endpoint_mode", .about = "IPv4 or IPv6."},
      {.name = "http_proxy", .about = "The proxy of http."},
      {.name = "https_proxy", .about = "The proxy of https."},
      {.name = "no_proxy", .about = "Hosts that are reached without a proxy."},
      {.name = "insecure", .type = flag, .about = "Whether any certificate will do."},
      {.name = "use_dualstack_endpoint", .type = flag, .about = "Whether to use IPv6 as well."},
      {.name = "use_fips_endpoint", .type = flag, .about = "Whether to use FIPS endpoints."},
      {.name = "skip_credentials_validation", .type = flag},
      {.name = "skip_metadata_api_check",
       .type = flag,
       .about = "Whether the metadata service of the machine is left alone."},
      {.name = "skip_region_validation", .type = flag},
      {.name = "skip_requesting_account_id", .type = flag},
  };
}

AwsSettings read_aws_settings(const Settings& settings) {
  AwsSettings aws;
  aws.region = settings.text("region");
  if (aws.region.empty()) {
    aws.region = settings.variable("AWS_REGION").empty() ? settings.variable("AWS_DEFAULT_REGION")
                                                         : settings.variable("AWS_REGION");
  }
  if (aws.region.empty()) {
    settings.refuse("region", "it or the environment variable AWS_REGION is needed");
  }
  aws.sts_region = settings.text("sts_region", {}, aws.region);
  aws.access_key = settings.text("access_key");
  aws.secret_key = net::Secret(settings.text("secret_key"));
  aws.token = net::Secret(settings.text("token"));
  if (aws.access_key.empty() != aws.secret_key.is_empty()) {
    settings.refuse(aws.access_key.empty() ? "secret_key" : "access_key",
                    "\"access_key\" and \"secret_key\" are given together");
  }
  aws.profile = settings.text("profile");
  const auto role = settings.inside("assume_role");
  if (role) aws.role = read_role(*role);
  if (auto old = read_old_role(settings, role.has_value())) aws.role = std::move(old);
  read_web_identity(settings, aws);
  aws.allowed_accounts = settings.list("allowed_account_ids");
  aws.forbidden_accounts = settings.list("forbidden_account_ids");
  if (!aws.allowed_accounts.empty() && !aws.forbidden_accounts.empty()) {
    settings.refuse("allowed_account_ids", "it excludes \"forbidden_account_ids\"");
  }
  aws.s3_endpoint =
      read_endpoint(settings, "s3", "endpoint", {"AWS_ENDPOINT_URL_S3", "AWS_S3_ENDPOINT"});
  aws.dynamodb_endpoint = read_endpoint(settings, "dynamodb", "dynamodb_endpoint",
                                        {"AWS_ENDPOINT_URL_DYNAMODB", "AWS_DYNAMODB_ENDPOINT"});
  const std::string sts =
      read_endpoint(settings, "sts", "sts_endpoint", {"AWS_ENDPOINT_URL_STS", "AWS_STS_ENDPOINT"});
  if (!sts.empty()) aws.variables["AWS_ENDPOINT_URL_STS"] = sts;
  (void)read_endpoint(settings, "iam", "iam_endpoint", {});
  read_files(settings, aws);
  read_connection(settings, aws);
  return aws;
}

AwsAccess::AwsAccess(AwsSettings settings, const BackendContext& context)
    : settings_(std::move(settings)),
      environment_(environment_with(settings_.variables, context.environment)),
      web_(
          [&] {
            net::WebOptions options = backend_web_options(context);
            options.retries = static_cast<unsigned>(settings_.retries);
            options.retry_wait = std::chrono::milliseconds(500);
            options.longest_retry_wait = std::chrono::seconds(20);
            options.tls = settings_.tls;
            options.proxy = net::with_usual(settings_.proxy, options.proxy);
            return options;
          }(),
          no_cancellation()),
      cloud_{web_, environment_, no_cancellation()} {}

base::Result<void> AwsAccess::find_keys() {
  keys_.reset();
  if (!settings_.access_key.empty()) {
    keys_ = identity::AwsKeys{settings_.access_key, settings_.secret_key, settings_.token};
  } else if (!settings_.web_role) {
    auto identity = identity::find_aws_identity(cloud_, settings_.profile);
    if (!identity) return std::move(identity).error();
    keys_ = std::move(identity->keys);
  }
  if (settings_.web_role) {
    auto keys = settings_.web_token.empty()
                    ? identity::assume_role_with_token(cloud_, settings_.web_token_file,
                                                       *settings_.web_role, settings_.sts_region)
                    : identity::assume_role_with_web_identity(
                          cloud_, settings_.web_token, *settings_.web_role, settings_.sts_region);
    if (!keys) return std::move(keys).error();
    keys_ = std::move(*keys);
  }
  if (!keys_) {
    return base::Error{
        "no credentials of AWS were found: neither in the configuration nor in the environment, "
        "in files of the AWS command line or from the machine"};
  }
  if (settings_.role) {
    auto keys = identity::assume_role(cloud_, *keys_, *settings_.role, settings_.sts_region);
    if (!keys) return std::move(keys).error();
    keys_ = std::move(*keys);
  }
  return check_account();
}

base::Result<void> AwsAccess::check_account() {
  if (settings_.allowed_accounts.empty() && settings_.forbidden_accounts.empty()) return {};
  const auto account = identity::aws_account(cloud_, *keys_, settings_.sts_region);
  if (!account) return account.error();
  const auto names = [&](const std::vector<std::string>& list) {
    return std::ranges::find(list, *account) != list.end();
  };
  const bool refused = settings_.allowed_accounts.empty() ? names(settings_.forbidden_accounts)
                                                          : !names(settings_.allowed_accounts);
  if (!refused) return {};
  return base::Error{fmt::format(
      "the credentials belong to the account {}, which the configuration does not allow",
      *account)};
}

base::Result<net::WebReply> AwsAccess::ask(net::WebRequest request, const base::Url& url,
                                           const std::string& service) {
  for (bool is_second = false;; is_second = true) {
    if (!has_looked_) {
      if (auto found = find_keys(); !found) return found.error();
      has_looked_ = true;
    }
    request.signature = keys_->signature(url, settings_.region, service);
    auto reply = web_.ask(request);
    if (!reply || is_second || !says_expired(*reply)) return reply;
    has_looked_ = false;
  }
}

}  // namespace tofu::backends
