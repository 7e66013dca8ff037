// Asking whether a plan may be carried out.
//
// Only the word yes will do, on a line of its own; anything else, and the end of input,
// means no.
#pragma once

#include <cstdint>
#include <string>

#include "cli/cancellation.h"
#include "cli/terminal.h"
#include "diag/diagnostic.h"
#include "plans/plan.h"

namespace tofu::runs {

enum class Approval : std::uint8_t { Given, Refused, NoAnswer };

// An error is added if there was no answer.
Approval ask_for_approval(plans::Mode mode, const std::string& workspace, cli::Terminal& terminal,
                          cli::Cancellation& cancellation, diag::Diagnostics& diags);

}  // namespace tofu::runs
