// The file of -generate-config-out: configuration for what is imported and not declared.
//
// Only ever a new file: what a person wrote is not touched. The text itself is made with
// the plan.
#pragma once

#include <string>

#include "diag/diagnostic.h"
#include "plans/plan.h"

namespace tofu::runs {

// Before the plan is made.
diag::Checked<void> check_generated_config_path(const std::string& path, plans::Mode mode,
                                                diag::Diagnostics& diags);

enum class Generated : std::uint8_t { Nothing, Written, Failed };

// After it was made. An error was added if that failed.
Generated write_generated_config(const std::string& path, const plans::Plan& plan,
                                 diag::Diagnostics& diags);

}  // namespace tofu::runs
