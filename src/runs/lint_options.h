// The flags of linting beside another command: -lint and -lint-scope.
//
// Names and meaning of -lint are those of OpenTofu 1.13; the scope is an addition.
#pragma once

#include <string>

#include "cli/flags.h"
#include "lint/request.h"

namespace tofu::runs {

// -lint-scope by itself.
void add_lint_scope_flag(cli::FlagSet& flags, lint::Scope& scope);

struct LintOptions {
  std::string rules = {};  // empty: nothing is linted
  lint::Scope scope = lint::Scope::Root;

  void declare(cli::FlagSet& flags);
  lint::Request request() const { return {lint::Selection::parse(rules), scope}; }
};

}  // namespace tofu::runs
