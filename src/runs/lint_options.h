// The flags of linting beside another command: -lint and -lint-scope.
//
// Names and meaning of -lint are those of OpenTofu 1.13; the scope is an addition.
#pragma once

#include <optional>
#include <string>

#include "cli/flags.h"
#include "diag/diagnostic.h"
#include "lint/request.h"

namespace tofu::runs {

// -lint-scope by itself.
void add_lint_scope_flag(cli::FlagSet& flags, std::optional<lint::Scope>& scope);

struct LintOptions {
  std::string rules = {};  // empty: nothing is linted
  std::optional<lint::Scope> scope = {};

  void declare(cli::FlagSet& flags);
  // Refuses a scope of nothing.
  diag::Checked<void> check(diag::Diagnostics& diags) const;
  lint::Request request() const {
    return {lint::Selection::parse(rules), scope.value_or(lint::Scope::Root)};
  }
};

}  // namespace tofu::runs
