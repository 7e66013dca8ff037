#include "lint/finding.h"

#include <fmt/format.h>

#include "base/check.h"

namespace tofu::lint {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Notice: return "notice";
    case Severity::Warning: return "warning";
    case Severity::Error: return "error";
  }
  base::broken_promise("lint severity out of range");
}

diag::Diagnostic to_diagnostic(const Finding& finding, Severities severities) {
  diag::Diagnostic diagnostic;
  const bool is_error =
      severities == Severities::OfRules && finding.rule->severity == Severity::Error;
  diagnostic.severity = is_error ? diag::Severity::Error : diag::Severity::Warning;
  diagnostic.summary = fmt::format("{} ({})", finding.rule->summary, finding.rule->id);
  diagnostic.detail = finding.detail;
  diagnostic.subject = finding.place;
  diagnostic.context = finding.context;
  diagnostic.in = finding.in;
  diagnostic.keep_apart = true;  // each is worth its place
  return diagnostic;
}

Finding* Findings::add(const Rule& rule, diag::SourceRange place, std::string detail) {
  if (!wants(rule)) return nullptr;
  items_.push_back({.rule = &rule, .place = place, .detail = std::move(detail)});
  return &items_.back();
}

}  // namespace tofu::lint
