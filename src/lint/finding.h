// A finding of a lint rule, and the list that collects findings.
//
// Rules add all that they find; the list keeps what is selected, so a rule need not know about
// the selection unless its work is expensive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "lint/rule.h"
#include "lint/selection.h"
#include "syntax/edits.h"

namespace tofu::lint {

struct Finding {
  const Rule* rule = nullptr;
  diag::SourceRange place;
  std::optional<diag::SourceRange> context = {};  // a wider piece to show around it
  std::string detail = {};
  std::string in = {};         // header of the enclosing block
  syntax::EditGroup fix = {};  // empty: none that is safe
};

// As a diagnostic: a warning, or an error if `severities` and the rule say so.
enum class Severities : std::uint8_t { AllWarnings, OfRules };
diag::Diagnostic to_diagnostic(const Finding& finding, Severities severities);

// Keeps the findings of selected rules only.
class Findings {
 public:
  // `selection` outlives it.
  explicit Findings(const Selection& selection) : selection_(selection) {}

  // For rules whose work is worth skipping.
  bool wants(const Rule& rule) const { return selection_.allows(rule); }
  // Null if the rule is not selected. The pointer is valid until the next call.
  Finding* add(const Rule& rule, diag::SourceRange place, std::string detail);

  // Empty afterward.
  std::vector<Finding> take() { return std::exchange(items_, {}); }

 private:
  const Selection& selection_;
  std::vector<Finding> items_;
};

}  // namespace tofu::lint
