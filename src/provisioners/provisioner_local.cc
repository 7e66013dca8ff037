// The provisioner "local-exec": a program on this machine.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "base/unicode.h"
#include "process/process.h"
#include "provisioners/provisioner_parts.h"

namespace tofu::provisioners {

namespace {

using value::Value;

using Environment = std::vector<std::pair<std::string, std::string>>;

Environment environment_of(const Value& config) {
  Environment environment;
  if (!is_set(config, "environment")) return environment;
  const value::Plain& map = config.plain().find("environment")->plain();
  for (std::size_t i = 0; i < map.size(); ++i) {
    const Value& each = map.items()[i];
    if (each.is_null()) continue;
    environment.emplace_back(map.map_keys()[i].plain().as_string(), each.plain().as_string());
  }
  return environment;
}

bool has_zero(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// The system would take the text up to a zero byte for the whole.
base::Result<void> check_texts(const process::GuardedProcess& process) {
  const base::Error error{"the command or its environment has a zero byte in it"};
  if (std::ranges::any_of(process.arguments, has_zero)) return error;
  for (const auto& [name, text] : process.environment) {
    if (has_zero(name) || has_zero(text)) return error;
    if (name.empty() || name.find('=') != std::string::npos) {
      return base::Error{fmt::format("{:?} cannot be the name of an environment variable", name)};
    }
  }
  return {};
}

// As a list of quoted words in brackets.
std::string in_brackets(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + base::quote_go(word);
  }
  return "[" + text + "]";
}

}  // namespace

namespace {

// Between an interrupt, which the command gets as well, and its end by force.
constexpr std::chrono::seconds kInterruptGrace{10};

}  // namespace

base::Result<void> run_local_exec(const ProvisionerRun& run) {
  const std::string command = text_argument(run.config, "command");
  if (command.empty()) return base::Error{"the command is empty"};
  process::GuardedProcess process;
  process.arguments = list_argument(run.config, "interpreter");
  if (process.arguments.empty()) process.arguments = {"/bin/sh", "-c"};
  const std::string interpreter = process.arguments.front();
  process.arguments.push_back(command);
  process.directory = text_argument(run.config, "working_dir");
  process.environment = environment_of(run.config);
  if (auto fits = check_texts(process); !fits) return fits;
  if (!process.directory.empty()) {
    const auto kind = base::file_kind(process.directory);
    if (!kind) return base::Error{"the working directory cannot be used: " + kind.error().what};
    if (*kind != base::FileKind::Directory) {
      return base::Error{"the working directory does not exist or is not a directory"};
    }
  }

  const bool quiet =
      is_set(run.config, "quiet") && run.config.plain().find("quiet")->plain().as_bool();
  run.notice(quiet ? "local-exec: Executing: Suppressed by quiet=true"
                   : "Executing: " + in_brackets(process.arguments));
  Lines lines(run.output);
  process.deadline = {};
  process.stop = run.stop;
  process.grace = kInterruptGrace;
  process.joins_errors = true;
  process.waits_for_all = true;
  process.on_output = [&](std::string_view text) { return lines.add(text), true; };
  process.on_quiet = [&] { lines.flush(); };
  const auto ended = process::run_guarded(process);
  lines.flush();
  if (!ended) {
    if (run.stop.stop_requested()) return base::Error{"it was interrupted"};
    return base::Error{fmt::format("{} cannot be run: {}", interpreter, ended.error().what)};
  }
  if (ended->exit_status == 0) return {};
  if (run.stop.stop_requested()) return base::Error{"it was interrupted"};
  return base::Error{fmt::format("exit status {}", ended->exit_status)};
}

}  // namespace tofu::provisioners
