#include "eval/deprecation.h"

#include <fmt/format.h>
#include <utility>

namespace tofu::eval {

namespace {

void warn(std::string summary, std::string detail, std::optional<diag::SourceRange> place,
          diag::Diagnostics& diags) {
  diag::Diagnostic warning;
  warning.severity = diag::Severity::Warning;
  warning.summary = std::move(summary);
  warning.similar_if = detail;
  warning.detail = std::move(detail);
  warning.subject = place;
  diags.add(std::move(warning));
}

}  // namespace

void warn_of_deprecated(const config::Variable& variable, std::optional<diag::SourceRange> place,
                        diag::Diagnostics& diags) {
  warn(fmt::format("The variable \"{}\" is marked as deprecated by module author.", variable.name),
       *variable.deprecated, place, diags);
}

bool Deprecations::is_new(const void* source, config::ModuleId user, diag::SourceRange place) {
  if (level_ == DeprecationLevel::None) return false;
  if (level_ == DeprecationLevel::Local && !tree_.node(user).is_local) return false;
  return told_.emplace(source, place).second;
}

void Deprecations::warn_of(const config::Variable& variable, config::ModuleId user,
                           diag::SourceRange place, diag::Diagnostics& diags) {
  if (is_new(&variable, user, place)) warn_of_deprecated(variable, place, diags);
}

void Deprecations::warn_of(const config::Output& output, const std::string& address,
                           config::ModuleId user, diag::SourceRange place,
                           diag::Diagnostics& diags) {
  if (!is_new(&output, user, place)) return;
  warn("Value derived from a deprecated source",
       fmt::format("This value is derived from {}, which is deprecated with the following "
                   "message:\n\n{}",
                   address, *output.deprecated),
       place, diags);
}

}  // namespace tofu::eval
