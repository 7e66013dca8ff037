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

std::string address_of(const config::TreeNode& called, const config::Output& output) {
  return fmt::format("{}.{}", called.path.to_string(), output.name);
}

}  // namespace

void warn_of_deprecated(const config::Variable& variable, std::optional<diag::SourceRange> place,
                        diag::Diagnostics& diags) {
  warn(fmt::format("The variable \"{}\" is marked as deprecated by module author.", variable.name),
       *variable.deprecated, place, diags);
}

Deprecations::Deprecations(const config::Tree& tree, DeprecationLevel level)
    : tree_(&tree), level_(level) {
  if (level == DeprecationLevel::None) return;
  for (const config::TreeNode& node : tree.nodes) {
    if (node.call == nullptr) continue;
    for (const config::Output& output : node.module->outputs) {
      if (output.deprecated) outputs_.emplace(address_of(node, output), &output);
    }
  }
}

void Deprecations::add_part(std::string source) {
  if (level_ != DeprecationLevel::None) parts_.insert(std::move(source));
}

bool Deprecations::is_silent_in(config::ModuleId user) const {
  return (is_root_silent_ && tree_->node(user).path.is_root()) ||
         level_ == DeprecationLevel::None ||
         (level_ == DeprecationLevel::Local && !tree_->node(user).is_local);
}

value::Marks Deprecations::marks_of(const config::TreeNode& called,
                                    const config::Output& output) const {
  if (!output.deprecated) return {};
  return value::Marks::deprecated(
      {address_of(called, output), *output.deprecated, !called.is_local});
}

bool Deprecations::is_new(const void* declaration, const std::string& part, config::ModuleId user,
                          diag::SourceRange place) {
  return !is_silent_in(user) && told_.emplace(declaration, part, place).second;
}

void Deprecations::warn_of(const config::Variable& variable, config::ModuleId user,
                           diag::SourceRange place, diag::Diagnostics& diags) {
  if (!is_new(&variable, {}, user, place)) return;
  if (was_told_ && was_told_(variable, place)) return;
  variables_told_.push_back({&variable, place});
  warn_of_deprecated(variable, place, diags);
}

void Deprecations::warn_of(const value::Deprecation& source, config::ModuleId user,
                           diag::SourceRange place, diag::Diagnostics& diags) {
  const auto output = outputs_.find(source.source);
  const bool is_known = output != outputs_.end() ? is_new(output->second, {}, user, place)
                                                 : parts_.contains(source.source) &&
                                                       is_new(nullptr, source.source, user, place);
  if (!is_known) return;
  std::string detail =
      fmt::format("This value is derived from {}, which is deprecated", source.source);
  detail += source.message.empty()
                ? std::string(".")
                : fmt::format(" with the following message:\n\n{}", source.message);
  warn("Value derived from a deprecated source", std::move(detail), place, diags);
}

}  // namespace tofu::eval
