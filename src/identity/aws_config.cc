#include "identity/aws_config.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/file.h"
#include "identity/cloud.h"

namespace tofu::identity {

namespace {

constexpr std::string_view kBlanks = " \t\r";

// Calls `each` with the name of the section, and the name and value of a setting. Settings
// below another (indented) are left out: none of them is about credentials.
template <class Each>
void read_sections(std::string_view file, const Each& each) {
  std::string section;
  while (!file.empty()) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    const std::string_view whole = file.substr(0, end);
    const std::string_view line = base::trimmed(whole);
    file.remove_prefix(std::min(end + 1, file.size()));
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      section = base::trimmed(line.substr(1, line.find(']') - 1));
      continue;
    }
    const std::size_t equal = line.find('=');
    if (equal == std::string_view::npos || section.empty()) continue;
    if (kBlanks.find(whole.front()) != std::string_view::npos) continue;
    std::string name = base::ascii_lower(base::trimmed(line.substr(0, equal)));
    each(std::string_view(section), std::move(name),
         std::string(base::trimmed(line.substr(equal + 1))));
  }
}

std::string text_of(const net::EnvironmentVariable& environment, std::string_view variable,
                    std::string_view usual) {
  std::string path(environment(variable));
  if (path.empty()) path = in_home(environment, usual);
  if (path.empty()) return {};
  auto text = base::read_file(path, kMaxCredentialsFileSize);
  return text ? std::move(*text) : std::string();
}

const AwsConfig::Section* find(const std::map<std::string, AwsConfig::Section, std::less<>>& in,
                               std::string_view name) {
  const auto found = in.find(name);
  return found == in.end() ? nullptr : &found->second;
}

}  // namespace

AwsConfig AwsConfig::read(const net::EnvironmentVariable& environment) {
  return parse(text_of(environment, "AWS_CONFIG_FILE", ".aws/config"),
               text_of(environment, "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"));
}

AwsConfig AwsConfig::parse(std::string_view config, std::string_view credentials) {
  AwsConfig out;
  read_sections(credentials, [&](std::string_view section, std::string name, std::string value) {
    out.profiles_[std::string(section)].try_emplace(std::move(name), std::move(value));
  });
  read_sections(config, [&](std::string_view section, std::string name, std::string value) {
    constexpr std::string_view kProfile = "profile ";
    constexpr std::string_view kSession = "sso-session ";
    if (section.starts_with(kSession)) {
      const auto session = base::trimmed(section.substr(kSession.size()));
      out.sessions_[std::string(session)].try_emplace(std::move(name), std::move(value));
      return;
    }
    if (section != "default" && !section.starts_with(kProfile)) return;
    const auto profile =
        section == "default" ? section : base::trimmed(section.substr(kProfile.size()));
    out.profiles_[std::string(profile)].try_emplace(std::move(name), std::move(value));
  });
  return out;
}

const AwsConfig::Section* AwsConfig::profile(std::string_view name) const {
  return find(profiles_, name);
}

const AwsConfig::Section* AwsConfig::sso_session(std::string_view name) const {
  return find(sessions_, name);
}

std::string setting(const AwsConfig::Section& section, std::string_view name) {
  const auto found = section.find(name);
  return found == section.end() ? std::string() : found->second;
}

}  // namespace tofu::identity
