// The provisioners "remote-exec" and "file": commands and files on another machine.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "functions/file_path.h"
#include "provisioners/provisioner_connection.h"
#include "provisioners/provisioner_parts.h"
#include "provisioners/provisioner_scp.h"
#include "provisioners/provisioner_ssh.h"

namespace tofu::provisioners {

namespace {

using value::Value;

base::Result<std::vector<std::string>> texts_of(const Value& config, std::string_view name) {
  std::vector<std::string> texts;
  for (const Value& item : config.plain().find(name)->plain().items()) {
    if (item.is_null() || item.plain().as_string().empty()) {
      return base::Error{fmt::format("an element of {} is empty", name)};
    }
    texts.emplace_back(item.plain().as_string());
  }
  return texts;
}

// The contents of the scripts that a block names.
base::Result<std::vector<std::string>> scripts_of(const Value& config) {
  if (is_set(config, "inline")) {
    const auto lines = texts_of(config, "inline");
    if (!lines) return lines.error();
    std::string script;
    for (const std::string& line : *lines) script += line + "\n";
    return std::vector<std::string>{std::move(script)};
  }
  std::vector<std::string> paths;
  if (is_set(config, "script")) {
    paths.push_back(text_argument(config, "script"));
    if (paths.front().empty()) return base::Error{"the path of the script is empty"};
  } else if (is_set(config, "scripts")) {
    auto listed = texts_of(config, "scripts");
    if (!listed) return listed.error();
    paths = std::move(*listed);
  }
  std::vector<std::string> scripts;
  for (const std::string& path : paths) {
    auto script = base::read_file(path);
    if (!script) {
      return base::Error{
          fmt::format("the script {} cannot be read: {}", path, script.error().what)};
    }
    scripts.push_back(std::move(*script));
  }
  return scripts;
}

std::string with_random_number(std::string path) {
  constexpr std::string_view kMark = "%RAND%";
  std::random_device random;
  const std::uint64_t number = std::uint64_t{random()} << 32U | random();
  const std::string digits = std::to_string(number);
  for (std::size_t at = path.find(kMark); at != std::string::npos; at = path.find(kMark)) {
    path.replace(at, kMark.size(), digits);
  }
  return path;
}

// Copies a script over, runs it and removes it, because it may hold secrets.
base::Result<void> run_script(const SshConnection& connection, const SshSettings& settings,
                              std::string script, const ProvisionerRun& run) {
  const bool is_windows = settings.is_windows;
  const std::string path = with_random_number(settings.script_path);
  const std::string quoted = quote_for(path, is_windows);
  if (!is_windows && !script.starts_with("#!")) script = "#!/bin/sh\n" + script;
  const auto quietly = [&](const std::string& command) {
    return connection.run(
        command, [](std::string_view) {}, run.stop);
  };
  ScpSource source;
  source.add_text(functions::base_name(path), 0755, std::move(script));
  const CopyTarget target{functions::directory_name(path), true, is_windows};
  if (auto copied = copy_over(connection, std::move(source), target, run.stop); !copied) {
    return base::Error{
        fmt::format("the script could not be brought there: {}", copied.error().what)};
  }
  if (!is_windows) {
    // A file that was there before kept its permissions.
    const auto changed = quietly("chmod 0755 " + quoted);
    if (!changed) return changed.error();
    if (*changed != 0) return base::Error{"the script could not be made executable"};
  }
  const auto status = connection.run(quoted, run.output, run.stop);
  if (!status) return status.error();
  // The script may have made the machine unreachable; then there is nothing to remove.
  std::string removal = "rm -f " + quoted;
  if (is_windows) {
    removal = "del " + quoted;
    std::ranges::replace(removal, '/', '\\');  // which would begin an option
  }
  (void)quietly(removal).ok();
  if (*status == 0) return {};
  return base::Error{fmt::format("the script ended with exit status {}", *status)};
}

}  // namespace

base::Result<void> run_remote_exec(const ProvisionerRun& run) {
  const auto settings = read_connection(run.connection);
  if (!settings) return settings.error();
  auto scripts = scripts_of(run.config);
  if (!scripts) return scripts.error();
  const auto connection = SshConnection::open(*settings, run.notice, run.stop);
  if (!connection) return connection.error();
  for (std::string& script : *scripts) {
    auto ran = run_script(**connection, *settings, std::move(script), run);
    if (!ran) return ran;
  }
  return {};
}

base::Result<void> run_file(const ProvisionerRun& run) {
  const auto settings = read_connection(run.connection);
  if (!settings) return settings.error();
  const std::string destination = text_argument(run.config, "destination");
  if (destination.empty()) return base::Error{"the destination is empty"};
  if (destination.find('\n') != std::string::npos) {
    return base::Error{"the destination has a newline in it, so nothing can be copied there"};
  }
  if (settings->is_windows) {
    if (auto fits = check_windows_path("destination", destination); !fits) return fits;
  }
  // A destination that ends with a slash means a file in that directory that is called
  // like it: so it is in OpenTofu.
  const std::string name = functions::base_name(destination);
  CopyTarget target{functions::directory_name(destination), true, settings->is_windows};
  ScpSource source;
  if (is_set(run.config, "content")) {
    source.add_text(name, 0644, text_argument(run.config, "content"));
  } else {
    auto path = functions::expand_home(text_argument(run.config, "source"), run.home_directory);
    if (!path) return path.error();
    const auto kind = base::file_kind(*path);
    const bool is_directory = kind && *kind == base::FileKind::Directory;
    if (is_directory) target = {destination, false, settings->is_windows};
    auto added = is_directory ? source.add_directory(*path) : source.add_file(name, *path);
    if (!added) return added;
  }
  const auto connection = SshConnection::open(*settings, {}, run.stop);
  if (!connection) return connection.error();
  return copy_over(**connection, std::move(source), target, run.stop);
}

}  // namespace tofu::provisioners
