#include "features/experiments.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "base/check.h"

namespace tofu::features {

namespace {

std::string active_names(std::span<const Row> rows) {
  std::string names;
  for (const Row& row : rows) {
    if (row.state != State::ActiveExperiment) continue;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", row.name);
  }
  if (names.empty()) return "This version has no active experiments.";
  return fmt::format("The active experiments of this version are: {}.", names);
}

bool refuse_unknown(std::string_view name, diag::SourceRange place, std::span<const Row> rows,
                    diag::Diagnostics& diags) {
  diags.error("Unknown experiment")
      .detail(fmt::format("The experiment \"{}\" does not exist. {}", name, active_names(rows)))
      .at(place);
  return false;
}

bool turn_on(const Row& row, diag::SourceRange place, Experiments allowed, FeatureSet& on,
             diag::Diagnostics& diags) {
  TOFU_CHECK(row.feature.has_value(), "an active experiment has a feature to turn on");
  if (allowed == Experiments::Refused) {
    diags.error("Experiments are not allowed")
        .detail(fmt::format("The experiment \"{}\" exists, but this build does not let modules use "
                            "experiments. Use a build made with TOFU_EXPERIMENTS=ON to try it.",
                            row.name))
        .at(place);
    return false;
  }
  on.add(*row.feature);
  diags.warning("Experimental feature in use")
      .detail(fmt::format("This module uses the experiment \"{}\". It may change or go away in any "
                          "release, so do not rely on it in production.",
                          row.name))
      .at(place);
  return true;
}

}  // namespace

Experiments experiments_of_this_build() {
#ifdef TOFU_EXPERIMENTS
  return Experiments::Allowed;
#else
  return Experiments::Refused;
#endif
}

diag::Checked<void> opt_into_experiment(std::string_view name, diag::SourceRange place,
                                        Experiments allowed, FeatureSet& on,
                                        diag::Diagnostics& diags, std::span<const Row> rows) {
  const auto row = std::ranges::find(rows, name, &Row::name);
  if (row == rows.end()) return refuse_unknown(name, place, rows, diags);
  switch (row->state) {
    case State::ActiveExperiment: return turn_on(*row, place, allowed, on, diags);
    case State::Selectable:
      if (row->text.empty()) return true;  // still an experiment in OpenTofu
      diags.warning("Feature is no longer an experiment").detail(std::string(row->text)).at(place);
      return true;
    case State::Concluded:
      diags.warning("Experiment has concluded").detail(std::string(row->text)).at(place);
      return true;
    case State::Removed:
      diags.error("Experiment is no longer available").detail(std::string(row->text)).at(place);
      return false;
  }
  base::broken_promise("feature state out of range");
}

}  // namespace tofu::features
