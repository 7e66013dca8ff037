#include "runs/lint_options.h"

#include "cli/option_groups.h"

namespace tofu::runs {

namespace {

constexpr cli::Choice<lint::Scope> kScopes[] = {
    {"root", lint::Scope::Root},
    {"local", lint::Scope::Local},
};

}  // namespace

void add_lint_scope_flag(cli::FlagSet& flags, std::optional<lint::Scope>& scope) {
  flags.add("lint-scope", scope, kScopes,
            {.value = "SCOPE",
             .help = "Which modules are linted: \"root\", or \"local\" for the root module and all "
                     "that it reaches through relative paths."});
}

void LintOptions::declare(cli::FlagSet& flags) {
  flags.heading("Options for linting");
  flags.add("lint", rules,
            {.value = "LIST",
             .help = "Lint the configuration with these rules and show findings as warnings. A "
                     "comma-separated list of rules and groups; \"all\" is all rules, and \"!\" in "
                     "front of a name excludes it. Has no effect when destroying or "
                     "when applying a saved plan."});
  add_lint_scope_flag(flags, scope);
}

diag::Checked<void> LintOptions::check(diag::Diagnostics& diags) const {
  if (!scope || !rules.empty()) return true;
  return cli::report_conflicting_options(
      "-lint-scope has no effect without -lint. Add -lint=all, or leave out -lint-scope.", diags);
}

}  // namespace tofu::runs
