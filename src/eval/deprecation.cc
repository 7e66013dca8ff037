#include "eval/deprecation.h"

#include <fmt/format.h>
#include <utility>

#include "eval/deprecation_key.h"

namespace tofu::eval {

namespace {

// Warnings about one `subject` are shown as one, which lists their places.
void warn(std::string summary, std::string detail, std::string subject,
          std::optional<diag::SourceRange> place, diag::Diagnostics& diags) {
  diag::Diagnostic warning;
  warning.severity = diag::Severity::Warning;
  warning.summary = std::move(summary);
  warning.similar_if = std::move(subject);
  warning.detail = std::move(detail);
  warning.subject = place;
  diags.add(std::move(warning));
}

void warn_of_variable(const config::Variable& variable, std::string text,
                      std::optional<diag::SourceRange> place, diag::Diagnostics& diags) {
  warn(fmt::format("The variable \"{}\" is marked as deprecated by module author.", variable.name),
       std::move(text), deprecation_key(variable.range), place, diags);
}

constexpr std::string_view kDerived = "Value derived from a deprecated source";

std::string derived_from(const std::string& source, const std::string& message) {
  std::string text = fmt::format("This value is derived from {}, which is deprecated", source);
  text += message.empty() ? std::string(".")
                          : fmt::format(" with the following message:\n\n{}", message);
  return text;
}

std::string address_of(const config::TreeNode& called, const config::Output& output) {
  return fmt::format("{}.{}", called.path.to_string(), output.name);
}

}  // namespace

std::string deprecation_key(diag::SourceRange declaration) {
  return fmt::format("{}:{}", declaration.file.index, declaration.begin);
}

void warn_of_deprecated(const config::Variable& variable, std::optional<diag::SourceRange> place,
                        diag::Diagnostics& diags) {
  warn_of_variable(variable, *variable.deprecated, place, diags);
}

void warn_of_deprecated(const config::Output& output, const std::string& source,
                        diag::SourceRange place, diag::Diagnostics& diags) {
  warn(std::string(kDerived), derived_from(source, *output.deprecated),
       deprecation_key(output.range), place, diags);
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

// Made for the first warning, because most configurations have none.
void Deprecations::find_modules() {
  modules_.emplace();
  std::set<const config::Module*> seen;
  for (const config::TreeNode& node : tree_->nodes) {
    const config::Module* module = node.module.get();
    if (!seen.insert(module).second) continue;
    for (const config::Variable& each : module->variables) {
      if (each.deprecated) modules_->emplace(&each, module);
    }
    for (const config::Output& each : module->outputs) {
      if (each.deprecated) modules_->emplace(&each, module);
    }
  }
}

template <class Declaration>
std::string Deprecations::text_of(const Declaration& declaration) {
  if (!modules_) find_modules();
  const auto module = modules_->find(&declaration);
  if (module == modules_->end()) return *declaration.deprecated;
  const auto retirements = retirements_.try_emplace(module->second, *module->second).first;
  return config::deprecation_text(declaration, retirements->second.of(declaration));
}

void Deprecations::add_part(std::string source) {
  if (level_ != DeprecationLevel::None) parts_.insert(std::move(source));
}

bool Deprecations::is_silent_in(config::ModuleId user) const {
  return is_root_silent_ && tree_->node(user).path.is_root();
}

value::Marks Deprecations::marks_of(const config::TreeNode& called,
                                    const config::Output& output) const {
  if (!output.deprecated) return {};
  return value::Marks::deprecated(
      {address_of(called, output), *output.deprecated, !called.is_local});
}

bool Deprecations::is_new(const void* declaration, const std::string& part, config::ModuleId user,
                          diag::SourceRange place) {
  if (is_silent_in(user) || level_ == DeprecationLevel::None) return false;
  if (level_ == DeprecationLevel::Local && !tree_->node(user).is_local) return false;
  return reported_.emplace(declaration, part, place).second;
}

void Deprecations::warn_of(const config::Variable& variable, config::ModuleId user,
                           diag::SourceRange place, diag::Diagnostics& diags) {
  if (!is_new(&variable, {}, user, place)) return;
  if (was_told_ && was_told_(variable, place)) return;
  variables_told_.push_back({&variable, place});
  warn_of_variable(variable, text_of(variable), place, diags);
}

void Deprecations::warn_of(const value::Deprecation& source, config::ModuleId user,
                           diag::SourceRange place, diag::Diagnostics& diags) {
  const auto output = outputs_.find(source.source);
  const bool is_known = output != outputs_.end() ? is_new(output->second, {}, user, place)
                                                 : parts_.contains(source.source) &&
                                                       is_new(nullptr, source.source, user, place);
  if (!is_known) return;
  if (output == outputs_.end()) {
    return warn(std::string(kDerived), derived_from(source.source, source.message), source.source,
                place, diags);
  }
  warn(std::string(kDerived), derived_from(source.source, text_of(*output->second)),
       deprecation_key(output->second->range), place, diags);
}

}  // namespace tofu::eval
