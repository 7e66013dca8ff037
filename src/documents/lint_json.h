// Findings of lint rules as a JSON document, and in the format SARIF that code reviews read.
//
// SARIF is version 2.1.0; fixes are in it as replacements.
#pragma once

#include <span>
#include <string_view>

#include "base/json_writer.h"
#include "diag/source.h"
#include "lint/finding.h"
#include "lint/rule.h"

namespace tofu::documents {

void write_lint_json(base::JsonWriter& json, std::span<const lint::Finding> findings,
                     const diag::SourceMap& sources);

// `rules` are those that were looked for, `version` that of the program.
void write_sarif(base::JsonWriter& json, std::span<const lint::Finding> findings,
                 std::span<const lint::Rule* const> rules, std::string_view version,
                 const diag::SourceMap& sources);

}  // namespace tofu::documents
