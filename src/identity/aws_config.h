// The files of the AWS command line: ~/.aws/config and ~/.aws/credentials.
//
// Sections of settings. Sections of the config file are "default", "profile NAME" and
// "sso-session NAME"; those of the credentials file are names of profiles.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "net/environment.h"

namespace tofu::identity {

class AwsConfig {
 public:
  using Section = std::map<std::string, std::string, std::less<>>;

  // Files that are not there count as empty.
  static AwsConfig read(const net::EnvironmentVariable& environment);
  static AwsConfig parse(std::string_view config, std::string_view credentials);

  // The settings of a profile, those of the credentials file first. Null if no file has it.
  const Section* profile(std::string_view name) const;
  const Section* sso_session(std::string_view name) const;

 private:
  std::map<std::string, Section, std::less<>> profiles_;
  std::map<std::string, Section, std::less<>> sessions_;
};

// The setting; empty if it is not there.
std::string setting(const AwsConfig::Section& section, std::string_view name);

}  // namespace tofu::identity
