#include "provisioners/provisioner_ssh_files.h"

#include <fmt/format.h>
#include <optional>

#include "process/process.h"

namespace tofu::provisioners {

namespace {

constexpr const char* kForwardTo = "TOFU_SSH_FORWARD_TO";

// A line of ssh's configuration. `value` has no control characters.
std::string option(std::string_view name, std::string_view value) {
  std::string text = fmt::format("{} \"", name);
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"\n";
}

// ssh replaces what follows a percent sign.
std::string without_tokens(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

// The host is known, or anything is: OpenTofu uses no other agent either.
std::string known_hosts(const SshHost& host) {
  return fmt::format("* {0}\n@cert-authority * {0}\n", host.host_key);
}

std::string authentication(const SshHost& host, const SshSettings& settings) {
  std::string text;
  const bool has_key = !host.private_key.empty();
  if (host.password.empty()) {
    text += option("PreferredAuthentications", "publickey");
    text += option("BatchMode", "yes");
  } else {
    // A machine refuses after some attempts, so the keys of an agent come last.
    text += option("PreferredAuthentications", has_key ? "publickey,password,keyboard-interactive"
                                                       : "password,keyboard-interactive,publickey");
    text += option("NumberOfPasswordPrompts", "1");
  }
  if (settings.agent == false) text += option("IdentityAgent", "none");
  text += option("ForwardAgent", settings.agent == false ? "no" : "yes");
  text += option("IdentitiesOnly", has_key && settings.agent != true ? "yes" : "no");
  return text;
}

}  // namespace

base::Result<std::string> SshFiles::keep(std::string_view text) {
  auto file = process::MemoryFile::make(text);
  if (!file) return file.error();
  return files_.emplace_back(std::move(*file)).path();
}

base::Result<SshFiles::Paths> SshFiles::add(const SshHost& host, const SshSettings& settings,
                                            std::string more) {
  Paths paths;
  std::string text;
  text += option("HostName", without_tokens(host.host));
  text += option("Port", std::to_string(host.port));
  text += option("User", host.user);
  text += authentication(host, settings);
  // Machines of old versions know no other way to use a key of the type RSA.
  text += option("PubkeyAcceptedAlgorithms", "+ssh-rsa");
  text += option("HostKeyAlgorithms", "+ssh-rsa");
  // Seconds. A connection that is silent for two minutes is dead.
  text += "ConnectTimeout 15\nServerAliveInterval 15\nServerAliveCountMax 8\n";
  text += "LogLevel ERROR\nUpdateHostKeys no\nCheckHostIP no\nEscapeChar none\n";
  text += "GlobalKnownHostsFile /dev/null\n";
  std::string identity =
      settings.agent_identity.empty() ? "none" : without_tokens(settings.agent_identity);
  const auto use = [&](std::string_view name,
                       const std::string& content) -> std::optional<base::Error> {
    auto path = keep(content);
    if (!path) return path.error();
    text += option(name, *path);
    return std::nullopt;
  };
  if (host.host_key.empty()) {
    text += "UserKnownHostsFile /dev/null\nStrictHostKeyChecking no\n";
  } else {
    if (auto error = use("UserKnownHostsFile", known_hosts(host))) return *error;
    text += "StrictHostKeyChecking yes\n";
  }
  if (!host.private_key.empty()) {
    auto path = keep(host.private_key);
    if (!path) return path.error();
    identity = keys_.emplace_back(std::move(*path));
  }
  text += option("IdentityFile", identity);
  if (!host.certificate.empty()) {
    if (auto error = use("CertificateFile", host.certificate)) return *error;
  }
  auto config = keep(text + more);
  if (!config) return config.error();
  paths.config = std::move(*config);
  if (host.password.empty()) return paths;
  auto password = keep(host.password);
  if (!password) return password.error();
  auto program =
      process::MemoryFile::make_program(fmt::format("#!/bin/sh\nexec cat {}\n", *password));
  if (!program) return program.error();
  paths.askpass = files_.emplace_back(std::move(*program)).path();
  return paths;
}

base::Result<void> SshFiles::check_keys() const {
  for (const std::string& key : keys_) {
    const auto ran = process::run_guarded({{"ssh-keygen", "-y", "-P", "", "-f", key}});
    if (!ran) return base::Error{"ssh-keygen cannot be run: " + ran.error().what};
    if (ran->exit_status == 0) continue;
    return base::Error{
        "a private key of the connection cannot be read: it is damaged, or protected by a "
        "passphrase, which is not supported"};
  }
  return {};
}

base::Result<SshFiles> SshFiles::make(const SshSettings& settings, std::string_view control_path) {
  SshFiles files;
  std::string more = fmt::format("ControlPath {}\nControlMaster no\n", control_path);
  if (settings.bastion) {
    auto bastion = files.add(*settings.bastion, settings, "");
    if (!bastion) return bastion.error();
    const std::string ask =
        bastion->askpass.empty() ? "" : fmt::format("env SSH_ASKPASS={} ", bastion->askpass);
    // ssh runs this by a shell. The shell's text has nothing of the configuration in it: where the
    // target is reaches it as a variable, which a shell in double quotes never reads as code.
    more += fmt::format("ProxyCommand {}ssh -F {} -W \"${}\" bastion\n", ask, bastion->config,
                        kForwardTo);
    files.forward_to_ = fmt::format("[{}]:{}", settings.target.host, settings.target.port);
  }
  auto target = files.add(settings.target, settings, std::move(more));
  if (!target) return target.error();
  files.target_ = std::move(*target);
  return files;
}

std::vector<std::pair<std::string, std::string>> SshFiles::environment() const {
  std::vector<std::pair<std::string, std::string>> environment = {
      {"SHELL", "/bin/sh"},  // with which ssh runs commands on this machine
      {"TERM", "xterm"},
      {"SSH_ASKPASS_REQUIRE", "force"},
  };
  if (!forward_to_.empty()) environment.emplace_back(kForwardTo, forward_to_);
  if (!target_.askpass.empty()) environment.emplace_back("SSH_ASKPASS", target_.askpass);
  return environment;
}

}  // namespace tofu::provisioners
