#include "provisioners/provisioner_connection.h"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "functions/timestamp.h"
#include "provisioners/provisioner_parts.h"

namespace tofu::provisioners {

namespace {

using value::Value;

constexpr std::chrono::minutes kUsualTimeout{5};
constexpr std::uint16_t kUsualPort = 22;

// These become lines of a file that ssh reads, which ends arguments at line breaks.
bool is_plain(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

// The first character of `text` that is not a letter, a digit, one of `others` or outside of ASCII;
// nothing if all are.
std::optional<char> first_strange(std::string_view text, std::string_view others) {
  const auto found = std::ranges::find_if(text, [&](char c) {
    return !base::is_ascii_alphanumeric(c) && static_cast<unsigned char>(c) < 0x80 &&
           others.find(c) == std::string_view::npos;
  });
  return found == text.end() ? std::nullopt : std::optional(*found);
}

base::Result<void> check_characters(std::string_view name, std::string_view text,
                                    std::string_view others) {
  if (text.starts_with('-')) {
    return base::Error{fmt::format("{} begins with \"-\", like an option of ssh", name)};
  }
  if (const auto strange = first_strange(text, others)) {
    return base::Error{
        fmt::format("{} has the character {:?} in it, which is not allowed there", name, *strange)};
  }
  return {};
}

// A name or an address. The zone of an IPv6 address may follow a percent sign.
base::Result<void> check_host_name(std::string_view name, std::string_view host) {
  const std::size_t zone = host.find(':') == std::string_view::npos ? host.npos : host.find('%');
  if (zone != host.npos) {
    auto fits = check_characters(name, host.substr(zone + 1), "-._");
    if (!fits) return fits;
  }
  return check_characters(name, host.substr(0, zone), "-._:");
}

// ssh takes "${NAME}" in a path for a variable, and no option of its own needs a quote in one.
base::Result<void> check_path(std::string_view name, std::string_view path) {
  if (path.starts_with('-')) {
    return base::Error{fmt::format("{} begins with \"-\", like an option of ssh", name)};
  }
  const std::size_t strange = path.find_first_of("\"'`$\\");
  if (strange == std::string_view::npos) return {};
  return base::Error{fmt::format("{} has the character {:?} in it, which is not allowed there",
                                 name, path[strange])};
}

// The lines of a key or certificate, ended as ssh wants them.
std::string with_line_ends(std::string text) {
  std::erase(text, '\r');
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

base::Result<std::uint16_t> port_of(const Value& block, std::string_view name,
                                    std::uint16_t usual) {
  if (!is_set(block, name)) return usual;
  const auto number = block.plain().find(name)->plain().as_number().to_int64();
  if (!number || *number < 0 || *number > 65535) {
    return base::Error{fmt::format("{} must be a whole number up to 65535", name)};
  }
  return *number == 0 ? usual : static_cast<std::uint16_t>(*number);
}

base::Result<void> check_key(std::string_view name, std::string_view key) {
  if (key.empty()) return {};
  if (key.find("-----BEGIN ") == std::string_view::npos) {
    return base::Error{fmt::format(
        "{} is not a private key; it must be the text of a key, as file() returns it", name)};
  }
  if (key.find("Proc-Type: 4,ENCRYPTED") != std::string_view::npos ||
      key.find("BEGIN ENCRYPTED PRIVATE KEY") != std::string_view::npos) {
    return base::Error{fmt::format(
        "{} is protected by a passphrase, which is not supported: decrypt it, or load it into "
        "an agent",
        name)};
  }
  return {};
}

base::Result<void> check_host(const SshHost& host, std::string_view prefix) {
  const std::pair<std::string_view, std::string_view> plain[] = {
      {"host", host.host},
      {"user", host.user},
      {"password", host.password},
      {"host_key", host.host_key},
  };
  for (const auto& [name, text] : plain) {
    if (is_plain(text)) continue;
    return base::Error{
        fmt::format("{}{} has a newline or another control character in it", prefix, name)};
  }
  // ssh hands some of these to a shell, and versions of it differ in what they refuse before.
  auto fits = check_host_name(fmt::format("{}host", prefix), host.host);
  if (fits) fits = check_characters(fmt::format("{}user", prefix), host.user, "-._@+\\");
  if (fits && host.user.ends_with('\\')) {
    return base::Error{fmt::format("{}user ends with a backslash", prefix)};
  }
  if (!fits) return fits;
  return check_key(fmt::format("{}private_key", prefix), host.private_key);
}

std::chrono::milliseconds timeout_of(const Value& block) {
  const auto given = functions::parse_duration(text_argument(block, "timeout"));
  if (!given) return kUsualTimeout;
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(*given));
}

// An IPv6 address may be written as in a URL.
std::string without_brackets(std::string host) {
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  return has_brackets ? host.substr(1, host.size() - 2) : host;
}

base::Result<SshHost> read_target(const Value& block) {
  SshHost target;
  target.host = without_brackets(text_argument(block, "host"));
  if (target.host.empty()) return base::Error{"the connection has no host"};
  auto port = port_of(block, "port", kUsualPort);
  if (!port) return port.error();
  target.port = *port;
  target.user = text_argument(block, "user");
  if (target.user.empty()) target.user = "root";
  target.password = text_argument(block, "password");
  target.private_key = with_line_ends(text_argument(block, "private_key"));
  target.certificate = with_line_ends(text_argument(block, "certificate"));
  target.host_key = text_argument(block, "host_key");
  while (target.host_key.ends_with('\n')) target.host_key.pop_back();
  if (auto fits = check_host(target, ""); !fits) return fits.error();
  return target;
}

// The settings of a bastion default to those of the target.
base::Result<SshHost> read_bastion(const Value& block, const SshHost& target) {
  SshHost bastion = target;
  const auto use = [&](std::string_view name, std::string& into) {
    std::string given = text_argument(block, name);
    if (!given.empty()) into = std::move(given);
  };
  use("bastion_host", bastion.host);
  bastion.host = without_brackets(std::move(bastion.host));
  use("bastion_user", bastion.user);
  use("bastion_password", bastion.password);
  use("bastion_private_key", bastion.private_key);
  use("bastion_certificate", bastion.certificate);
  bastion.private_key = with_line_ends(std::move(bastion.private_key));
  bastion.certificate = with_line_ends(std::move(bastion.certificate));
  bastion.host_key = text_argument(block, "bastion_host_key");
  while (bastion.host_key.ends_with('\n')) bastion.host_key.pop_back();
  auto port = port_of(block, "bastion_port", target.port);
  if (!port) return port.error();
  bastion.port = *port;
  if (auto fits = check_host(bastion, "bastion_"); !fits) return fits.error();
  return bastion;
}

base::Result<void> check_kind(const Value& block) {
  const std::string type = text_argument(block, "type");
  if (type == "winrm") {
    return base::Error{
        "connections of the type \"winrm\" are not supported; Windows machines can be reached "
        "over ssh"};
  }
  if (!type.empty() && type != "ssh") {
    return base::Error{fmt::format("the connection type {:?} does not exist", type)};
  }
  if (is_set(block, "proxy_host") && !text_argument(block, "proxy_host").empty()) {
    return base::Error{"proxy_host is not supported; a bastion_host can be used instead"};
  }
  return {};
}

}  // namespace

base::Result<void> check_windows_path(std::string_view name, std::string_view path) {
  const std::size_t strange = path.find_first_of("\"&|<>^");
  if (strange == std::string_view::npos) return {};
  return base::Error{fmt::format(
      "{} has the character {:?} in it, which no path of a Windows machine can have here", name,
      path[strange])};
}

base::Result<SshSettings> read_connection(const Value& connection) {
  if (connection.is_null()) return base::Error{"it has no connection block"};
  if (auto fits = check_kind(connection); !fits) return fits.error();
  SshSettings settings;
  auto target = read_target(connection);
  if (!target) return std::move(target).error();
  settings.target = std::move(*target);
  if (!text_argument(connection, "bastion_host").empty()) {
    auto bastion = read_bastion(connection, settings.target);
    if (!bastion) return std::move(bastion).error();
    settings.bastion = std::move(*bastion);
  }
  const std::string platform = text_argument(connection, "target_platform");
  if (!platform.empty() && platform != "unix" && platform != "windows") {
    return base::Error{"target_platform must be \"unix\" or \"windows\""};
  }
  settings.is_windows = platform == "windows";
  settings.script_path = text_argument(connection, "script_path");
  if (settings.script_path.empty()) {
    settings.script_path =
        settings.is_windows ? "C:/windows/temp/terraform_%RAND%.cmd" : "/tmp/terraform_%RAND%.sh";
  }
  if (is_set(connection, "agent"))
    settings.agent = connection.plain().find("agent")->plain().as_bool();
  settings.agent_identity = text_argument(connection, "agent_identity");
  if (!is_plain(settings.agent_identity) || !is_plain(settings.script_path)) {
    return base::Error{
        "agent_identity or script_path has a newline or another control character in it"};
  }
  auto fits = check_path("agent_identity", settings.agent_identity);
  // The name of a script is part of a command there, and nothing can quote this.
  if (fits && settings.is_windows) fits = check_windows_path("script_path", settings.script_path);
  if (!fits) return fits.error();
  settings.timeout = timeout_of(connection);
  return settings;
}

}  // namespace tofu::provisioners
