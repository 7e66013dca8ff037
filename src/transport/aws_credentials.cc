#include "transport/aws_credentials.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"

namespace tofu::transport {

namespace {

constexpr std::uint64_t kLargestFile = 1 << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// The file that a variable names, or the usual one; empty if it is not there.
std::string read_aws_file(const EnvironmentVariable& environment, std::string_view variable,
                          std::string_view usual) {
  std::string path(environment(variable));
  if (path.empty()) path = fmt::format("{}/.aws/{}", environment("HOME"), usual);
  auto text = base::read_file(path, kLargestFile);
  return text ? std::move(*text) : std::string();
}

std::optional<AwsSignature> keys_in(std::string_view file, std::string_view section) {
  AwsSignature keys{.key_id = find_in_profile(file, section, "aws_access_key_id"),
                    .secret = Secret(find_in_profile(file, section, "aws_secret_access_key")),
                    .session_token = Secret(find_in_profile(file, section, "aws_session_token")),
                    .region = {}};
  if (keys.key_id.empty() || keys.secret.is_empty()) return std::nullopt;
  return keys;
}

std::string first_of(const EnvironmentVariable& environment, std::string_view a,
                     std::string_view b) {
  const std::string_view value = environment(a);
  return std::string(value.empty() ? environment(b) : value);
}

}  // namespace

std::string find_in_profile(std::string_view file, std::string_view section, std::string_view key) {
  bool inside = false;
  while (!file.empty()) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    const std::string_view line = trimmed(file.substr(0, end));
    file.remove_prefix(std::min(end + 1, file.size()));
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      inside = trimmed(line.substr(1, line.find(']') - 1)) == section;
      continue;
    }
    const std::size_t equal = line.find('=');
    if (!inside || equal == std::string_view::npos) continue;
    if (trimmed(line.substr(0, equal)) == key) return std::string(trimmed(line.substr(equal + 1)));
  }
  return {};
}

base::Result<AwsIdentity> take_aws_identity(base::Url& url,
                                            const EnvironmentVariable& environment) {
  const auto given = [&](std::string_view name) {
    return std::ranges::any_of(base::parse_url_query(url.query),
                               [&](const auto& each) { return each.first == name; });
  };
  const bool in_address =
      given("aws_access_key_id") || given("aws_access_key_secret") || given("aws_access_token");
  AwsSignature keys{.key_id = take_argument(url, "aws_access_key_id"),
                    .secret = Secret(take_argument(url, "aws_access_key_secret")),
                    .session_token = Secret(take_argument(url, "aws_access_token")),
                    .region = {}};
  std::string profile = take_argument(url, "aws_profile");
  if (in_address && profile.empty()) return AwsIdentity{.signature = std::move(keys)};
  const bool asked_for = !profile.empty();
  if (!asked_for) {
    keys = {.key_id = first_of(environment, "AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY"),
            .secret = Secret(first_of(environment, "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY")),
            .session_token = Secret(std::string(environment("AWS_SESSION_TOKEN"))),
            .region = {}};
    if (!keys.key_id.empty() && !keys.secret.is_empty()) return AwsIdentity{.signature = keys};
    profile = first_of(environment, "AWS_PROFILE", "AWS_DEFAULT_PROFILE");
  }
  const bool named = !profile.empty();
  if (!named) profile = "default";
  const std::string credentials =
      read_aws_file(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
  const std::string config = read_aws_file(environment, "AWS_CONFIG_FILE", "config");
  const std::string section = profile == "default" ? profile : "profile " + profile;
  AwsIdentity identity{.signature = keys_in(credentials, profile),
                       .region = find_in_profile(config, section, "region")};
  if (!identity.signature) identity.signature = keys_in(config, section);
  if (named && !identity.signature) {
    return base::Error{fmt::format(
        "the profile {:?} has no access key in the files of the AWS command line", profile)};
  }
  return identity;
}

}  // namespace tofu::transport
