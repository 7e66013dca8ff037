#include "tests/simulation/program.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "config/no_modules.h"
#include "config/tree.h"
#include "diag/source.h"
#include "eval/validate.h"
#include "tests/simulation/cloud.h"
#include "value/value.h"

namespace tofu::simulation {

namespace {

std::unique_ptr<Compiled> compile(const std::string& text) {
  auto made = std::make_unique<Compiled>();
  diag::Diagnostics diags;
  const diag::FileId id = made->sources.add("main.tf", text);
  config::ParsedFiles files;
  files.directory = ".";
  files.primary.push_back(
      config::parse_module_file(made->sources, id, {"main.tf", config::FileSyntax::Native}, diags));
  config::StaticInputs inputs;
  inputs.functions = &function_table();
  inputs.root_variables = [](const config::Variable&, diag::Diagnostics&) {
    return std::optional(value::Value::unknown());
  };
  config::NoModules finder;
  made->tree = config::link_modules(std::move(files), finder, inputs, made->sources, diags);
  made->program.emplace(eval::compile(made->tree, schemas(), diags));
  eval::validate(*made->program, function_table(), {}, diags, eval::DeprecationLevel::None);
  TOFU_CHECK(!diags.has_errors(), "the configurations of histories are good");
  return made;
}

}  // namespace

const functions::Table& function_table() {
  static const functions::Table kTable{functions::Environment{}};
  return kTable;
}

const Compiled& compiled(const std::string& text) {
  // There are some hundred texts in all histories.
  static std::unordered_map<std::string, std::unique_ptr<Compiled>> all;
  auto& found = all[text];
  if (!found) found = compile(text);
  return *found;
}

}  // namespace tofu::simulation
