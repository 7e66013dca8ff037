#include "commands/console_module.h"

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "config/declare.h"
#include "config/static_eval.h"
#include "config/variable_files.h"
#include "config/variable_types.h"
#include "install/module_directory.h"
#include "syntax/eval.h"
#include "syntax/parser.h"

namespace tofu::commands {

namespace {

using value::Value;

class InputReader {
 public:
  InputReader(World& world, const config::Module& module, eval::ModuleScope::Inputs& inputs,
              diag::Diagnostics& diags)
      : world_(world), module_(module), inputs_(inputs), diags_(diags) {}

  void read_environment();
  void read_files();

 private:
  void read_file(const std::string& path);
  void take(const config::Variable& variable, Value v, std::optional<diag::SourceRange> place);

  World& world_;
  const config::Module& module_;
  eval::ModuleScope::Inputs& inputs_;
  diag::Diagnostics& diags_;
};

void InputReader::take(const config::Variable& variable, Value v,
                       std::optional<diag::SourceRange> place) {
  auto settled = config::settle_variable(variable, std::move(v), place, diags_);
  if (settled) inputs_.insert_or_assign(variable.name, std::move(*settled));
}

void InputReader::read_environment() {
  for (const config::Variable& variable : module_.variables) {
    const auto found = world_.environment.variables.find("TF_VAR_" + variable.name);
    if (found == world_.environment.variables.end()) continue;
    if (variable.parsing_mode == config::ParsingMode::Literal) {
      take(variable, Value::string(found->second), std::nullopt);
      continue;
    }
    const diag::FileId id =
        world_.sources.add(fmt::format("<value for var.{}>", variable.name), found->second);
    const auto file = syntax::parse_expression(world_.sources, id, diags_);
    if (diags_.has_errors()) return;
    auto v = syntax::evaluate(*file->expr, nullptr, diags_);
    if (v) take(variable, std::move(*v), std::nullopt);
  }
}

void InputReader::read_file(const std::string& path) {
  auto text = base::read_file(path);
  if (!text) {
    diags_.error("Cannot read a variables file")
        .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
    return;
  }
  const diag::FileId id = world_.sources.add(path, std::move(*text));
  const config::VariableFile file = config::read_variable_file(world_.sources, id, diags_);
  for (const config::GivenValue& given : file.values) {
    const config::Variable* variable = module_.variables.find(given.name);
    if (variable == nullptr) {
      diags_.warning("Value for undeclared variable")
          .detail(fmt::format("{} gives a value to {:?}, which the module does not declare.", path,
                              given.name))
          .at(given.name_range);
      continue;
    }
    auto v = syntax::evaluate(*given.expr, nullptr, diags_);
    if (v) take(*variable, std::move(*v), given.expr->range);
  }
}

void InputReader::read_files() {
  for (const char* name : {"terraform.tfvars", "terraform.tfvars.json"}) {
    const auto kind = base::file_kind(name);
    if (kind && *kind == base::FileKind::Regular) read_file(name);
  }
  const auto entries = base::list_directory(".");
  if (!entries) return;
  for (const base::DirectoryEntry& entry : *entries) {
    const std::string_view name = entry.name;
    if (name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json"))
      read_file(entry.name);
  }
}

}  // namespace

std::optional<ConsoleModule> load_console_module(World& world, diag::Diagnostics& diags) {
  ConsoleModule loaded;
  if (!install::has_configuration(".")) {
    loaded.module = std::make_unique<config::Module>();
    loaded.module->directory.push_back('.');  // the working directory
    return loaded;
  }
  diag::Diagnostics problems;
  auto files = install::read_module_directory(".", world.sources, problems);
  if (files) {
    loaded.module = config::declare_module(std::move(*files), world.sources, problems);
    config::resolve_variable_types(*loaded.module, {}, problems);
  }
  if (!problems.has_errors()) {
    InputReader reader(world, *loaded.module, loaded.inputs, problems);
    reader.read_environment();
    reader.read_files();
  }
  const bool failed = problems.has_errors();
  diags.take(std::move(problems));
  if (failed) return std::nullopt;
  return loaded;
}

}  // namespace tofu::commands
