// Effects of names in `experiments = [...]`.
//
// The configuration loader finds the names; decides whether a feature is on, and reports that to
// the author.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "features/features.h"

namespace tofu::features {

enum class Experiments : std::uint8_t { Refused, Allowed };

// Whether this build was made with TOFU_EXPERIMENTS.
Experiments experiments_of_this_build();

// Adds the feature of an active experiment to `on`, and reports at `place`: an error for one that
// is removed, unknown or not allowed, a warning for every other. `rows` is the list to decide by;
// tests bring their own.
diag::Checked<void> opt_into_experiment(std::string_view name, diag::SourceRange place,
                                        Experiments allowed, FeatureSet& on,
                                        diag::Diagnostics& diags,
                                        std::span<const Row> rows = all_rows());

}  // namespace tofu::features
