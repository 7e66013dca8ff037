// What naming something in `experiments = [...]` does.
//
// The configuration loader finds the names; here it is decided whether a feature
// is on, and what the author is told.
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

// Adds the feature of an active experiment to `on`, and tells the author at
// `place` what became of the name: an error for one that is removed, unknown or
// not allowed, a warning for every other. False if and only if an error was added.
// `rows` is the list to decide by; tests bring their own.
bool opt_into_experiment(std::string_view name, diag::SourceRange place, Experiments allowed,
                         FeatureSet& on, diag::Diagnostics& diags,
                         std::span<const Row> rows = all_rows());

}  // namespace tofu::features
