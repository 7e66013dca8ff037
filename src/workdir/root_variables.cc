#include "workdir/root_variables.h"

#include <fmt/format.h>
#include <utility>

#include "base/counted.h"
#include "base/file.h"
#include "config/files.h"
#include "eval/deprecation.h"
#include "syntax/eval.h"
#include "syntax/generate.h"
#include "syntax/parser.h"

namespace tofu::workdir {

namespace {

using value::Value;

constexpr std::string_view kPrefix = "TF_VAR_";
// People share one file among configurations; more warnings than this would bury
// everything else.
constexpr std::size_t kMaxUndeclared = 2;

}  // namespace

diag::Checked<void> RootVariables::collect(const VariableOptions& options,
                                           diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  collect_environment();
  collect_directory(".", diags);
  for (const VariableOptions::Use& use : options.uses) {
    switch (use.kind) {
      case VariableOptions::Kind::Value: collect_option(use.text, diags); break;
      case VariableOptions::Kind::File: collect_file(use.text, Origin::File, diags); break;
    }
  }
  return diags.error_count() == errors;
}

void RootVariables::collect_environment() {
  const auto& variables = context_.environment().variables;
  for (auto at = variables.lower_bound(kPrefix); at != variables.end(); ++at) {
    if (!at->first.starts_with(kPrefix)) break;
    values_.insert_or_assign(at->first.substr(kPrefix.size()),
                             Given{Origin::Environment, at->second});
  }
}

diag::Checked<void> RootVariables::collect_in(const std::string& directory,
                                              diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  collect_directory(directory, diags);
  return diags.error_count() == errors;
}

std::vector<std::string> RootVariables::names() const {
  std::vector<std::string> all;
  for (const auto& [name, given] : values_) all.push_back(name);
  return all;
}

std::optional<Value> RootVariables::read(const std::string& name, const config::Variable* declared,
                                         diag::Diagnostics& diags) const {
  const Given& given = values_.at(name);
  if (declared != nullptr) return read(*declared, given, diags);
  if (given.expr != nullptr) return syntax::evaluate(*given.expr, nullptr, diags);
  if (given.stored) return given.stored;
  return Value::string(given.text);
}

void RootVariables::collect_directory(const std::string& directory, diag::Diagnostics& diags) {
  const auto entries = base::list_directory(directory);
  if (!entries) {
    const auto kind = base::file_kind(directory);
    if (kind && *kind == base::FileKind::Missing) return;  // tests need not have one
    diags.error("Failed to read variables file")
        .detail(fmt::format("Listing the directory {} to find terraform.tfvars and *.auto.tfvars "
                            "failed: {}.",
                            directory, entries.error().what));
    return;
  }
  std::vector<std::string> names;
  for (const base::DirectoryEntry& entry : *entries) names.push_back(entry.name);
  const std::string prefix = directory == "." ? "" : directory + "/";
  for (const std::string& name : config::choose_variable_files(names)) {
    collect_file(prefix + name, Origin::DirectoryFile, diags);
  }
}

void RootVariables::collect_file(const std::string& path, Origin origin, diag::Diagnostics& diags) {
  context_.settings.log.debug(
      [&] { return fmt::format("Reading values for variables from {}", path); });
  auto text = base::read_file(path);
  if (!text) {
    diags.error("Failed to read variables file")
        .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
    return;
  }
  const diag::FileId id = context_.sources.add(path, std::move(*text));
  config::VariableFile file = config::read_variable_file(context_.sources, id, diags);
  for (const config::GivenValue& each : file.values) {
    values_.insert_or_assign(each.name, Given{origin, {}, each.expr});
  }
  files_.push_back(std::move(file));
}

void RootVariables::collect_option(const std::string& option, diag::Diagnostics& diags) {
  const std::size_t equals = option.find('=');
  const auto refuse = [&](std::string detail) {
    diags.error("Invalid -var option").detail(std::move(detail));
  };
  if (equals == std::string::npos) {
    return refuse(
        fmt::format("{:?} is not a variable assignment. Write the name, an equals sign and the "
                    "value, as in -var 'NAME=VALUE'.",
                    option));
  }
  const std::string name = option.substr(0, equals);
  if (name.ends_with(' ')) {
    return refuse(fmt::format(
        "The name {:?} ends with a space. Remove the space before the equals sign.", name));
  }
  values_.insert_or_assign(name, Given{Origin::CommandLine, option.substr(equals + 1)});
}

std::optional<Value> RootVariables::read(const config::Variable& variable, const Given& given,
                                         diag::Diagnostics& diags) const {
  if (given.expr != nullptr) return syntax::evaluate(*given.expr, nullptr, diags);
  if (given.stored) return given.stored;
  if (variable.parsing_mode == config::ParsingMode::Literal) return Value::string(given.text);
  const diag::FileId id =
      context_.sources.add(fmt::format("<value for var.{}>", variable.name), given.text);
  const std::size_t errors = diags.error_count();
  const auto file = syntax::parse_expression(context_.sources, id, diags);
  if (diags.error_count() != errors) return std::nullopt;
  return syntax::evaluate(*file->expr, nullptr, diags);
}

diag::Checked<Value> RootVariables::value_of(const config::Variable& variable,
                                             diag::Diagnostics& diags) const {
  const auto found = values_.find(variable.name);
  if (found != values_.end()) return read(variable, found->second, diags);
  if (variable.default_value) return variable.default_value;
  diags.error("No value for required variable")
      .detail(fmt::format(
          "var.{} has no default and is needed before planning. Set it with -var or -var-file.",
          variable.name))
      .at(variable.range);
  return std::nullopt;
}

void RootVariables::warn_of_deprecation(const config::Module& module,
                                        diag::Diagnostics& diags) const {
  for (const auto& [name, given] : values_) {
    const config::Variable* variable = module.variables.find(name);
    if (variable == nullptr || !variable->deprecated) continue;
    diag::Diagnostics ignored;  // reported when the value is used
    const auto v = read(*variable, given, ignored);
    if (!v || v->is_null()) continue;
    std::optional<diag::SourceRange> place;
    if (given.expr != nullptr) place = given.expr->range;
    eval::warn_of_deprecated(*variable, place, diags);
  }
}

config::StaticEvaluator::Given RootVariables::as_given() const {
  return [this](const config::Variable& variable, diag::Diagnostics& diags) {
    return value_of(variable, diags);
  };
}

bool RootVariables::settle(const config::Module& module, Settled& out,
                           diag::Diagnostics& diags) const {
  diag::Diagnostics unreadable;
  for (const auto& [name, given] : values_) {
    const config::Variable* variable = module.variables.find(name);
    if (variable == nullptr) continue;
    auto v = read(*variable, given, unreadable);
    if (!v) continue;
    std::optional<diag::SourceRange> place;
    if (given.expr != nullptr) place = given.expr->range;
    out.insert_or_assign(name, config::settle_variable(*variable, std::move(*v), {}, place, diags));
  }
  report_undeclared(module, unreadable);
  const bool all_read = !unreadable.has_errors();
  diags.take(std::move(unreadable));
  return all_read;
}

void RootVariables::add_stored(const std::string& name, Value stored) {
  values_.try_emplace(name, Given{Origin::Service, {}, nullptr, std::move(stored)});
}

bool RootVariables::is_option(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return false;
  return found->second.origin == Origin::CommandLine || found->second.origin == Origin::File;
}

diag::Checked<void> RootVariables::collect_for_run(const config::Module& module, const Ask& ask,
                                                   std::map<std::string, Value>& out,
                                                   diag::Diagnostics& diags) const {
  const std::size_t errors = diags.error_count();
  for (const config::Variable& variable : module.variables) {
    std::optional<Given> asked;
    const auto found = values_.find(variable.name);
    const Given* given = found != values_.end() ? &found->second : nullptr;
    if (given == nullptr && variable.is_required() && ask) {
      if (auto text = ask(variable)) asked = Given{Origin::CommandLine, std::move(*text)};
      if (asked) given = &*asked;
    }
    if (given != nullptr) {
      const auto v = read(variable, *given, diags);
      if (v) out.insert_or_assign(variable.name, *v);
      // What is given in other ways was warned of when the configuration was loaded.
      if (v && asked && variable.deprecated && !v->is_null() &&
          context_.deprecation != eval::DeprecationLevel::None) {
        eval::warn_of_deprecated(variable, variable.range, diags);
      }
    } else if (variable.is_required()) {
      diags.error("No value for required variable")
          .detail(fmt::format("The variable \"{}\" has no default value. Set it with -var or "
                              "-var-file, or with the environment variable TF_VAR_{}.",
                              variable.name, variable.name))
          .at(variable.range);
    }
  }
  report_undeclared(module, diags);
  return diags.error_count() == errors;
}

diag::Checked<void> RootVariables::collect_given(const config::Module& module,
                                                 std::map<std::string, Value>& out,
                                                 diag::Diagnostics& diags) const {
  const std::size_t errors = diags.error_count();
  for (const auto& [name, given] : values_) {
    const config::Variable* variable = module.variables.find(name);
    if (variable == nullptr) continue;
    if (auto v = read(*variable, given, diags)) out.insert_or_assign(name, std::move(*v));
  }
  report_undeclared(module, diags);
  return diags.error_count() == errors;
}

diag::Checked<void> RootVariables::collect_explicit(
    const config::Module& module, std::vector<std::pair<std::string, std::string>>& out,
    diag::Diagnostics& diags) const {
  const std::size_t errors = diags.error_count();
  for (const auto& [name, given] : values_) {
    const config::Variable* variable = module.variables.find(name);
    const bool is_there = given.origin == Origin::DirectoryFile || given.origin == Origin::Service;
    if (variable == nullptr || is_there) continue;
    if (const auto v = read(*variable, given, diags)) {
      out.emplace_back(name, syntax::expression_text(v->deep_unmarked()));
    }
  }
  report_undeclared(module, diags);
  return diags.error_count() == errors;
}

// Of the environment nothing is said: it is often set for many configurations.
void RootVariables::report_undeclared(const config::Module& module,
                                      diag::Diagnostics& diags) const {
  std::size_t in_files = 0;
  for (const auto& [name, given] : values_) {
    if (module.variables.find(name) != nullptr) continue;
    if (given.origin == Origin::CommandLine) {
      diags.error("Value for undeclared variable")
          .detail(fmt::format("A value for {:?} was given on the command line, but the root module "
                              "declares no variable of that name. Add a variable block to use it.",
                              name));
    } else if (given.expr != nullptr && ++in_files <= kMaxUndeclared) {
      diags.warning("Value for undeclared variable")
          .detail(fmt::format("{} sets {:?}, but the root module declares no variable of that "
                              "name. Add a variable block to use it. To share values among several "
                              "configurations, use TF_VAR_... environment variables.",
                              context_.sources.name(given.expr->range.file), name));
    }
  }
  if (in_files > kMaxUndeclared) {
    diags.warning("Values for undeclared variables")
        .detail(fmt::format("Variables files also set {} that the root module does not declare.",
                            base::counted(in_files - kMaxUndeclared, "more variable")));
  }
}

}  // namespace tofu::workdir
