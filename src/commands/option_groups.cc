#include "commands/option_groups.h"

namespace tofu::commands {

namespace {

using config::VersionCheck;

constexpr Choice<VersionCheck> kVersionChecks[] = {
    {"equivalent", VersionCheck::Equivalent},
    {"identical", VersionCheck::Identical},
    {"tofu-only", VersionCheck::TofuOnly},
    {"off", VersionCheck::Off},
};

bool exclude_each_other(std::string detail, diag::Diagnostics& diags) {
  diags.error("Options that exclude each other").detail(std::move(detail));
  return false;
}

}  // namespace

void JsonOptions::declare(FlagSet& flags) {
  flags.add("json", json, {.help = "Print everything as a stream of JSON messages."});
  flags.add("json-into", json_into,
            {.value = "FILE",
             .help = "Also write that stream to this file.",
             .completes = Completes::Files});
}

bool JsonOptions::check(diag::Diagnostics& diags) const {
  if (!json || json_into.empty()) return true;
  return exclude_each_other(
      "With -json, standard output has what -json-into would write. Give only one of them.", diags);
}

void JsonDocumentOptions::declare(FlagSet& flags) {
  flags.add("json", json, {.help = "Print as JSON, sensitive values included."});
  flags.add("json-into", json_into,
            {.value = "FILE",
             .help = "Also write the JSON document to this file, which only you can read.",
             .completes = Completes::Files});
}

bool JsonDocumentOptions::check(diag::Diagnostics& diags) const {
  return JsonOptions{json, json_into}.check(diags);
}

void InputOptions::declare(FlagSet& flags) {
  flags.add("input", input, {.help = "Do not ask for anything; what is missing is an error."});
}

bool may_ask(const InputOptions& input, const JsonOptions& json, const Environment& environment) {
  const auto allowed = parse_bool(environment.variable("TF_INPUT"));
  return input.input && !json.json && allowed.value_or(true);
}

void VariableOptions::declare(FlagSet& flags) {
  const auto use = [this](Kind kind) {
    return [this, kind](std::string_view text) -> base::Result<void> {
      uses.push_back({kind, std::string(text)});
      return {};
    };
  };
  flags.add_valued("var",
                   {.value = "'NAME=VALUE'",
                    .help = "Give a value to a variable of the root module. May be repeated."},
                   use(Kind::Value));
  flags.add_valued("var-file",
                   {.value = "FILE",
                    .help = "Read values for variables from this file too, besides "
                            "terraform.tfvars and *.auto.tfvars. May be repeated.",
                    .completes = Completes::Files},
                   use(Kind::File));
}

void ConfigurationOptions::declare(FlagSet& flags) {
  flags.heading("Options for the configuration");
  variables.declare(flags);
  flags.add("version-check", version_check, kVersionChecks,
            {.value = "MODE",
             .help = "How version constraints are taken: equivalent, identical, tofu-only or off. "
                     "Also set by TOFU_VERSION_CHECK."});
}

void LockOptions::declare(FlagSet& flags) {
  flags.add("lock", lock,
            {.help = "Do not lock the state. Dangerous if others might run commands on the same "
                     "state."});
  flags.add("lock-timeout", timeout,
            {.value = "TIME",
             .help = "How long to wait for a lock that another process holds, such as 30s."});
}

void StateChangeOptions::declare(FlagSet& flags) {
  flags.include(lock);
  flags.include(configuration);
}

void StateFileOptions::declare(FlagSet& flags) {
  flags.heading("Options for states in local files");
  add_state_flag(flags, state);
  flags.add("state-out", state_out,
            {.value = "FILE",
             .help = "Write the state to this file instead.",
             .completes = Completes::Files});
  add_backup_flag(flags, backup);
}

void OperationOptions::declare(FlagSet& flags) {
  flags.heading("Options for planning");
  flags.add("destroy", destroy, {.help = "Plan to destroy everything that the state has."});
  flags.add("refresh-only", refresh_only,
            {.help = "Plan only to bring the state up to date with what exists."});
  flags.add("refresh", refresh,
            {.help = "Trust the state: do not ask providers what exists before planning."});
  flags.add("target", targets,
            {.value = "ADDRESS",
             .help = "Only this resource or module, and what it depends on. May be repeated.",
             .completes = Completes::Addresses});
  flags.add("target-file", target_files,
            {.value = "FILE",
             .help = "The same with the addresses in this file, one on each line.",
             .completes = Completes::Files});
  flags.add("exclude", excludes,
            {.value = "ADDRESS",
             .help = "Not this resource or module, nor what depends on it. May be repeated.",
             .completes = Completes::Addresses});
  flags.add("exclude-file", exclude_files,
            {.value = "FILE",
             .help = "The same with the addresses in this file, one on each line.",
             .completes = Completes::Files});
  flags.add("replace", replace,
            {.value = "ADDRESS",
             .help = "Replace this resource instance even if it could stay. May be repeated.",
             .completes = Completes::Addresses});
  flags.add("parallelism", parallelism, {.least = 0},
            {.value = "N", .help = "How many operations run at once; 10 by default."});
}

bool OperationOptions::check(diag::Diagnostics& diags) const {
  if ((!targets.empty() || !target_files.empty()) &&
      (!excludes.empty() || !exclude_files.empty())) {
    return exclude_each_other(
        "A plan is limited either to what -target names or by what -exclude names. Give options "
        "of one kind only.",
        diags);
  }
  if (destroy && refresh_only) {
    return exclude_each_other("Give only one of -destroy and -refresh-only.", diags);
  }
  if (refresh_only && !refresh) {
    return exclude_each_other(
        "With -refresh-only and -refresh=false there is nothing to do. Give only one of them.",
        diags);
  }
  return true;
}

void add_state_flag(FlagSet& flags, std::string& state) {
  flags.add("state", state,
            {.value = "FILE", .help = "Use this state file.", .completes = Completes::Files});
}

void add_backup_flag(FlagSet& flags, std::string& backup) {
  flags.add("backup", backup,
            {.value = "FILE",
             .help = "Keep a copy of the state before the change in this file.",
             .completes = Completes::Files});
}

void add_ignore_remote_version_flag(FlagSet& flags, bool& ignore) {
  flags.add("ignore-remote-version", ignore,
            {.help = "For remote backends only; a local state has no remote version."});
}

void add_show_sensitive_flag(FlagSet& flags, bool& show) {
  flags.add("show-sensitive", show, {.help = "Show sensitive values."});
}

void TestFileOptions::declare(FlagSet& flags) {
  flags.add("test-directory", directory,
            {.value = "DIR",
             .help = "Where test files are, besides the configuration's own directory.",
             .completes = Completes::Directories});
}

}  // namespace tofu::commands
