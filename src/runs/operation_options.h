// The flags of a plan: what it is about and how much runs at once.
//
// The fields hold what was written on the command line; run_options() reads the addresses in
// them.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "diag/diagnostic.h"

namespace tofu::runs {

// What a plan is about: -target and the like.
struct OperationOptions {
  int parallelism = 0;  // how many calls of providers run at once; 0: as many as usual
  bool refresh = true;
  bool minimal_refresh = false;
  bool allow_deferral = false;
  bool destroy = false;
  bool refresh_only = false;
  std::vector<std::string> targets = {};
  std::vector<std::string> target_files = {};
  std::vector<std::string> excludes = {};
  std::vector<std::string> exclude_files = {};
  std::vector<std::string> replace = {};

  void declare(cli::FlagSet& flags);
  // Options that exclude each other.
  diag::Checked<void> check(diag::Diagnostics& diags) const;
};

}  // namespace tofu::runs
