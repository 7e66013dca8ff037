#include "fetch/git_program.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/file.h"
#include "fetch/git_repository.h"
#include "net/redaction.h"
#include "process/process.h"

namespace tofu::fetch {

namespace {

// Hooks and monitors would be programs; the rest is work that is of no use in a
// repository that lives for a moment.
constexpr std::string_view kSettings[] = {
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "protocol.ext.allow=never",
    "protocol.fd.allow=never",
    // The same files on every machine: see also without_filters().
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
    "core.eol=lf",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.fsync=none",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "fetch.writeCommitGraph=false",
    // The repository is checked out once and removed: taking it apart costs more.
    "fetch.unpackLimit=1",
    "advice.detachedHead=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
};

// A server that never ends its list of branches would fill it otherwise.
constexpr std::uint64_t kMaxMemory = std::uint64_t{4} << 30;

// They would make git work on another repository than ours.
const std::vector<std::string> kScrubbedGitVariables = {
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_SHALLOW_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_CONFIG",
    "GIT_TEMPLATE_DIR",
    "GIT_DEFAULT_HASH",
};

}  // namespace

std::string GitProgram::clean(std::string_view errors) const {
  return net::redact(errors, secrets_);
}

base::Result<std::string> GitProgram::start(std::vector<std::string> arguments,
                                            std::function<bool(std::string_view)> on_output) const {
  process::GuardedProcess process;
  process.arguments = {"git"};
  for (const std::string_view setting : kSettings) {
    process.arguments.emplace_back("-c");
    process.arguments.emplace_back(setting);
  }
  const std::string doing = arguments.front();
  std::ranges::move(arguments, std::back_inserter(process.arguments));
  process.directory = directory_;
  process.environment = {{"GIT_TERMINAL_PROMPT", "0"}, {"GIT_ATTR_NOSYSTEM", "1"}, {"LC_ALL", "C"}};
  if (!template_.empty()) process.environment.emplace_back("GIT_TEMPLATE_DIR", template_);
  if (!transports_.empty()) process.environment.emplace_back("GIT_ALLOW_PROTOCOL", transports_);
  if (!ssh_command_.empty()) process.environment.emplace_back("GIT_SSH_COMMAND", ssh_command_);
  process.without = kScrubbedGitVariables;
  process.stop = stop_;
  process.log = log_;
  process.file_limit = file_limit_;
  process.memory_limit = kMaxMemory;
  process.on_output = std::move(on_output);
  process.may_go_on = may_go_on_;
  auto done = process::run_guarded(process);
  if (!done) {
    if (stop_.stop_requested()) return base::Error{"interrupted"};
    return base::Error{fmt::format(
        "the program git, which is needed for this source, did not work: {}", done.error().what)};
  }
  if (done->exit_status == 0) return std::move(done->output);
  const std::string words = clean(done->errors);
  return base::Error{fmt::format("git {} failed with status {}{}{}", doing, done->exit_status,
                                 words.empty() ? "" : ": ", words)};
}

base::Result<void> GitProgram::without_filters() {
  const auto real = base::real_path(directory_);
  if (!real) return real.error();
  template_ = *real + std::string(kRepositoryTemplate);
  return {};
}

base::Result<std::string> GitProgram::run(std::vector<std::string> arguments) const {
  return start(std::move(arguments), {});
}

base::Result<void> GitProgram::run(std::vector<std::string> arguments,
                                   std::function<bool(std::string_view)> on_output) const {
  auto done = start(std::move(arguments), std::move(on_output));
  if (!done) return done.error();
  return {};
}

}  // namespace tofu::fetch
