// Diagnostics for people: warnings on standard output, errors on standard error.
//
// Everything is sorted, consolidated and wrapped as the view options of the command line say. The
// output is flushed, so that what was printed before comes before.
#pragma once

#include <cstdint>

#include "cli/terminal.h"
#include "diag/diagnostic.h"

namespace tofu::cli {

// Prints diagnostics as the view options say. OpenTofu's commands differ in whether an empty line
// follows each.
enum class Spacing : std::uint8_t { Wide, Close };
void print_diagnostics(const diag::Diagnostics& diags, Terminal& terminal,
                       Spacing spacing = Spacing::Wide);

}  // namespace tofu::cli
