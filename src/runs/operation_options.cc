#include "runs/operation_options.h"

#include "cli/option_groups.h"

namespace tofu::runs {

void OperationOptions::declare(cli::FlagSet& flags) {
  flags.heading("Plan options");
  flags.add("destroy", destroy, {.help = "Plan the destruction of all objects in the state."});
  flags.add("refresh-only", refresh_only,
            {.help = "Only update the state to match the real objects."});
  flags.add(
      "refresh", refresh,
      {.help = "Skip reading the real objects before planning; use the values in the state."});
  flags.add("minimal-refresh", minimal_refresh,
            {.help = "Plan from the state first, then read only the objects that would change and "
                     "those that their arguments refer to."});
  flags.add(
      "allow-deferral", allow_deferral,
      {.help = "Leave resources for a later run whose instances or provider configuration are "
               "known only after apply."});
  flags.add(
      "target", targets,
      {.value = "ADDRESS",
       .help = "Limit the plan to this resource or module and its dependencies. Can be repeated.",
       .completes = cli::Completes::Addresses});
  flags.add("target-file", target_files,
            {.value = "FILE",
             .help = "Same as -target, with one address per line in this file.",
             .completes = cli::Completes::Files});
  flags.add("exclude", excludes,
            {.value = "ADDRESS",
             .help = "Exclude this resource or module and everything that depends on it from the "
                     "plan. Can be repeated.",
             .completes = cli::Completes::Addresses});
  flags.add("exclude-file", exclude_files,
            {.value = "FILE",
             .help = "Same as -exclude, with one address per line in this file.",
             .completes = cli::Completes::Files});
  flags.add("replace", replace,
            {.value = "ADDRESS",
             .help = "Replace this instance even if no change requires it. Can be repeated.",
             .completes = cli::Completes::Addresses});
  flags.add("parallelism", parallelism, {.least = 0},
            {.value = "N", .help = "Maximum number of concurrent operations. Default: 10."});
}

diag::Checked<void> OperationOptions::check(diag::Diagnostics& diags) const {
  if ((!targets.empty() || !target_files.empty()) &&
      (!excludes.empty() || !exclude_files.empty())) {
    return cli::report_conflicting_options(
        "-target and -exclude options cannot be combined. Use one kind only.", diags);
  }
  if (destroy && refresh_only) {
    return cli::report_conflicting_options("-destroy and -refresh-only cannot be combined.", diags);
  }
  if (refresh_only && !refresh) {
    return cli::report_conflicting_options(
        "-refresh-only and -refresh=false cannot be combined: nothing would remain to do.", diags);
  }
  if (allow_deferral && (destroy || refresh_only)) {
    return cli::report_conflicting_options(
        "-allow-deferral cannot be combined with -destroy or -refresh-only.", diags);
  }
  if (allow_deferral && (!targets.empty() || !target_files.empty())) {
    return cli::report_conflicting_options(
        "-allow-deferral and -target options cannot be combined. Use -exclude instead.", diags);
  }
  if (minimal_refresh && refresh_only) {
    return cli::report_conflicting_options(
        "-minimal-refresh and -refresh-only cannot be combined: a refresh-only plan reads all "
        "objects.",
        diags);
  }
  if (minimal_refresh && !refresh) {
    return cli::report_conflicting_options(
        "-minimal-refresh and -refresh=false cannot be combined: nothing would be read.", diags);
  }
  return true;
}

}  // namespace tofu::runs
