// Lints a configuration: runs the selected rules over its modules.
//
// Needs no providers and evaluates nothing. Each module is looked at once, however often it is
// called, and each file is walked once, so the cost is linear in the size of the files.
#pragma once

#include <vector>

#include "config/tree.h"
#include "diag/source.h"
#include "lint/finding.h"
#include "lint/own_rules.h"
#include "lint/request.h"

namespace tofu::lint {

// By file and place.
std::vector<Finding> run(const Request& request, const config::Tree& tree,
                         const diag::SourceMap& sources);
// With rules of a symbol library. Calls of them that fail are reported.
std::vector<Finding> run(const Request& request, const OwnRules* own, const config::Tree& tree,
                         const diag::SourceMap& sources, diag::Diagnostics& diags);

// Adds the findings as warnings.
void add_warnings(const Request& request, const config::Tree& tree, const diag::SourceMap& sources,
                  diag::Diagnostics& diags);

}  // namespace tofu::lint
