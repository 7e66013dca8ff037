#include "identity/aws_services.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

#include "base/url.h"
#include "net/json_fields.h"
#include "net/markup.h"

namespace tofu::identity {

namespace {

constexpr const char* kUsualRegion = "us-east-1";
constexpr std::string_view kContainerService = "http://169.254.170.2";
constexpr std::string_view kInstanceService = "http://169.254.169.254";

base::Result<base::Url> sts_endpoint(const Cloud& cloud, const std::string& region) {
  const std::string domain = region.starts_with("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return aws_endpoint(cloud, {"AWS_ENDPOINT_URL_STS", "AWS_STS_ENDPOINT", "AWS_ENDPOINT_URL"},
                      region.empty() ? "https://sts.amazonaws.com"
                                     : fmt::format("https://sts.{}.{}", region, domain));
}

std::string session_name(const AwsRole& role) {
  return role.session_name.empty() ? fmt::format("tofu-{}", std::time(nullptr)) : role.session_name;
}

net::WebRequest form_request(const base::Url& url, net::Secret body) {
  return {.url = url.to_string(),
          .method = "POST",
          .headers = {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}},
          .body = std::move(body)};
}

// <…Response><…Result><Credentials>
base::Result<AwsKeys> keys_of_sts(std::string_view body) {
  const auto document = net::parse_xml(body);
  if (!document)
    return base::Error{"the answer of AWS STS cannot be read: " + document.error().what};
  for (const net::XmlElement& result : document->children) {
    const net::XmlElement* credentials = result.child("Credentials");
    if (credentials == nullptr) continue;
    return whole_keys("AWS STS", credentials->text_of("AccessKeyId"),
                      credentials->text_of("SecretAccessKey"),
                      credentials->text_of("SessionToken"));
  }
  return base::Error{"the answer of AWS STS has no credentials"};
}

base::UrlArguments role_arguments(const char* action, const AwsRole& role) {
  base::UrlArguments arguments = {{"Action", action},
                                  {"Version", "2011-06-15"},
                                  {"RoleArn", role.arn},
                                  {"RoleSessionName", session_name(role)}};
  if (!role.external_id.empty()) arguments.emplace_back("ExternalId", role.external_id);
  if (!role.duration_seconds.empty()) {
    arguments.emplace_back("DurationSeconds", role.duration_seconds);
  }
  if (!role.policy.empty()) arguments.emplace_back("Policy", role.policy);
  for (std::size_t i = 0; i < role.policy_arns.size(); ++i) {
    arguments.emplace_back(fmt::format("PolicyArns.member.{}.arn", i + 1), role.policy_arns[i]);
  }
  for (std::size_t i = 0; i < role.tags.size(); ++i) {
    arguments.emplace_back(fmt::format("Tags.member.{}.Key", i + 1), role.tags[i].first);
    arguments.emplace_back(fmt::format("Tags.member.{}.Value", i + 1), role.tags[i].second);
  }
  for (std::size_t i = 0; i < role.transitive_tags.size(); ++i) {
    arguments.emplace_back(fmt::format("TransitiveTagKeys.member.{}", i + 1),
                           role.transitive_tags[i]);
  }
  return arguments;
}

// {"AccessKeyId":…, "SecretAccessKey":…, "Token":…}
base::Result<AwsKeys> keys_of_machine(std::string_view what, std::string_view body) {
  const auto document = net::parse_json_object(body);
  if (!document) return base::Error{fmt::format("the answer of {} is not a JSON object", what)};
  return whole_keys(what, net::text_at(*document, "AccessKeyId"),
                    net::text_at(*document, "SecretAccessKey"), net::text_at(*document, "Token"));
}

// Whether a service that gives out keys may be asked without https: it is on this machine.
bool is_container_host(std::string_view host) {
  return host == "localhost" || host.starts_with("127.") || host == "[::1]" ||
         host == "169.254.170.2" || host == "169.254.170.23" || host == "[fd00:ec2::23]";
}

}  // namespace

base::Result<AwsKeys> whole_keys(std::string_view what, std::string key_id, std::string secret,
                                 std::string token) {
  if (key_id.empty() || secret.empty()) {
    return base::Error{fmt::format("the answer of {} has no access key", what)};
  }
  return AwsKeys{std::move(key_id), net::Secret(std::move(secret)), net::Secret(std::move(token))};
}

base::Result<base::Url> aws_endpoint(const Cloud& cloud,
                                     std::initializer_list<std::string_view> names,
                                     const std::string& usual) {
  const std::string set = first_variable(cloud.environment, names);
  auto url = net::parse_web_url(set.empty() ? usual : set);
  if (!url) {
    return base::Error{
        fmt::format("the address of a service of AWS cannot be used: {}", url.error().what)};
  }
  return url;
}

bool has_expired(std::string_view time) {
  const std::string now = fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(std::time(nullptr)));
  return time.substr(0, now.size()) <= now;
}

base::Result<AwsKeys> assume_role(const Cloud& cloud, const AwsKeys& keys, const AwsRole& role,
                                  const std::string& region) {
  const auto url = sts_endpoint(cloud, region);
  if (!url) return url.error();
  net::WebRequest request = form_request(
      *url,
      net::Secret(base::format_url_query(role_arguments("AssumeRole", role)), net::Origin(*url)));
  request.signature = keys.signature(*url, region.empty() ? kUsualRegion : region, "sts");
  const auto body = ask_service(cloud, request, fmt::format("AWS STS for the role {:?}", role.arn));
  if (!body) return body.error();
  return keys_of_sts(*body);
}

base::Result<AwsKeys> assume_role_with_token(const Cloud& cloud, const std::string& token_file,
                                             const AwsRole& role, const std::string& region) {
  auto token = read_credentials_file(token_file);
  if (!token) return std::move(token).error();
  return assume_role_with_web_identity(cloud, std::move(*token), role, region);
}

base::Result<std::string> aws_account(const Cloud& cloud, const AwsKeys& keys,
                                      const std::string& region) {
  const auto url = sts_endpoint(cloud, region);
  if (!url) return url.error();
  net::WebRequest request = form_request(
      *url, net::Secret("Action=GetCallerIdentity&Version=2011-06-15", net::Origin(*url)));
  request.signature = keys.signature(*url, region.empty() ? kUsualRegion : region, "sts");
  const auto body = ask_service(cloud, request, "AWS STS for the account");
  if (!body) return body.error();
  const auto document = net::parse_xml(*body);
  const net::XmlElement* result = document ? document->child("GetCallerIdentityResult") : nullptr;
  if (result == nullptr || result->text_of("Account").empty()) {
    return base::Error{"the answer of AWS STS has no account"};
  }
  return result->text_of("Account");
}

base::Result<AwsKeys> assume_role_with_web_identity(const Cloud& cloud, std::string token,
                                                    const AwsRole& role,
                                                    const std::string& region) {
  if (role.arn.empty()) {
    return base::Error{"a web identity of AWS needs the role to assume: AWS_ROLE_ARN or role_arn"};
  }
  const auto url = sts_endpoint(cloud, region);
  if (!url) return url.error();
  base::UrlArguments arguments = role_arguments("AssumeRoleWithWebIdentity", role);
  arguments.emplace_back("WebIdentityToken", std::move(token));
  const net::Secret form(base::format_url_query(std::move(arguments)), net::Origin(*url));
  const auto body = ask_service(cloud, form_request(*url, form),
                                fmt::format("AWS STS for the role {:?}", role.arn));
  if (!body) return body.error();
  return keys_of_sts(*body);
}

base::Result<std::optional<AwsKeys>> container_keys(const Cloud& cloud) {
  constexpr std::string_view kWhat = "the credentials service of the container";
  const std::string path(cloud.environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"));
  const std::string whole(cloud.environment("AWS_CONTAINER_CREDENTIALS_FULL_URI"));
  if (path.empty() && whole.empty()) return std::optional<AwsKeys>();
  const auto url = net::parse_web_url(path.empty() ? whole : std::string(kContainerService) + path);
  if (!url) return url.error();
  if (url->scheme != "https" && !is_container_host(url->host)) {
    return base::Error{fmt::format("{} at {} is neither on this machine nor asked with https",
                                   kWhat, url->authority())};
  }
  net::WebRequest request = machine_request(url->to_string());
  std::string token(cloud.environment("AWS_CONTAINER_AUTHORIZATION_TOKEN"));
  const std::string file(cloud.environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"));
  if (!file.empty()) {
    auto text = read_credentials_file(file);
    if (!text) return std::move(text).error();
    token = std::move(*text);
  }
  if (!token.empty()) {
    request.private_headers = {{"Authorization", net::Secret(std::move(token), net::Origin(*url))}};
  }
  const auto body = ask_service(cloud, request, kWhat);
  if (!body) return body.error();
  auto keys = keys_of_machine(kWhat, *body);
  if (!keys) return std::move(keys).error();
  return std::optional(std::move(*keys));
}

// Version 2 of the service: a token first, which protects against forged requests through a proxy
// in front of this machine.
base::Result<std::optional<AwsKeys>> instance_keys(const Cloud& cloud) {
  constexpr std::string_view kWhat = "the metadata service of the EC2 instance";
  constexpr std::string_view kRoles = "/latest/meta-data/iam/security-credentials/";
  const std::string_view disabled = cloud.environment("AWS_EC2_METADATA_DISABLED");
  if (disabled == "true" || disabled == "TRUE" || disabled == "True") {
    return std::optional<AwsKeys>();
  }
  const auto url =
      aws_endpoint(cloud, {"AWS_EC2_METADATA_SERVICE_ENDPOINT"}, std::string(kInstanceService));
  if (!url) return url.error();
  const std::string top = fmt::format("{}://{}", url->scheme, url->authority());
  net::WebRequest ask_token = machine_request(top + "/latest/api/token");
  ask_token.method = "PUT";
  ask_token.headers = {{"X-aws-ec2-metadata-token-ttl-seconds", "300"}};
  auto token = ask_service(cloud, ask_token, kWhat);
  if (!token) return std::optional<AwsKeys>();  // this is not such an instance
  const net::Secret secret(std::move(*token), net::Origin(*url));
  const auto ask = [&](const std::string& path) {
    net::WebRequest request = machine_request(top + path);
    request.private_headers = {{"X-aws-ec2-metadata-token", secret}};
    return ask_service(cloud, request, kWhat);
  };
  const auto roles = ask(std::string(kRoles));
  if (!roles || roles->empty()) return std::optional<AwsKeys>();
  const std::string role = roles->substr(0, roles->find('\n'));
  const auto body = ask(std::string(kRoles) + base::escape_url(role));
  if (!body) return body.error();
  auto keys = keys_of_machine(kWhat, *body);
  if (!keys) return std::move(keys).error();
  return std::optional(std::move(*keys));
}

base::Result<AwsKeys> process_keys(const Cloud& cloud, const std::string& command) {
  const auto printed = run_credentials_program(cloud, command);
  if (!printed) return printed.error();
  const auto document = net::parse_json_object(*printed);
  if (!document) return base::Error{"the credentials program did not print a JSON object"};
  const std::string expires = net::text_at(*document, "Expiration");
  if (!expires.empty() && has_expired(expires)) {
    return base::Error{"the credentials program printed credentials that have expired"};
  }
  return whole_keys("the credentials program", net::text_at(*document, "AccessKeyId"),
                    net::text_at(*document, "SecretAccessKey"),
                    net::text_at(*document, "SessionToken"));
}

}  // namespace tofu::identity
