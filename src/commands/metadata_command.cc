#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "commands/command.h"
#include "commands/lone_library.h"
#include "config/declare.h"
#include "config/symbol_table.h"
#include "functions/table.h"
#include "install/module_directory.h"
#include "syntax/function.h"
#include "views/function_json.h"

namespace tofu::commands {

namespace {

struct MetadataOptions {
  bool json = false;

  void declare(FlagSet& flags) {
    flags.add("json", json, {.help = "Print as JSON. Required: there is no other form."});
    flags.ignore_arguments();  // as OpenTofu does
  }
};

// The symbol libraries that the configuration in this directory imports.
class ImportedSymbols {
 public:
  explicit ImportedSymbols(World& world) : sources_(world.sources), libraries_(world) {}

  // False if and only if an error was added. Where nothing is imported, mistakes in
  // the configuration do not matter here.
  bool load(diag::Diagnostics& diags) {
    constexpr const char* kHere = ".";
    if (!install::has_configuration(kHere)) return true;
    diag::Diagnostics problems;
    auto files = install::read_module_directory(kHere, sources_, problems);
    if (!files) return true;
    module_ = config::declare_module(std::move(*files), sources_, problems);
    if (module_->symbols.empty()) return true;
    table_.emplace(*module_, libraries_.set().load(module_->symbols, module_->directory, problems));
    const bool fine = !problems.has_errors();
    diags.take(std::move(problems));
    return fine;
  }

  std::vector<std::string_view> names() const {
    return table_ ? table_->function_names() : std::vector<std::string_view>();
  }
  const syntax::Function* find(std::string_view name) const {
    return table_ ? table_->function(name) : nullptr;
  }

 private:
  diag::SourceMap& sources_;
  LoneLibraries libraries_;
  std::unique_ptr<config::Module> module_;
  std::optional<config::SymbolTable> table_;  // absent if nothing is imported
};

int run_metadata(const MetadataOptions& options, World& world) {
  if (!options.json) {
    diag::Diagnostics diags;
    diags.error("The -json option is required")
        .detail(
            "Function signatures are printed only as JSON: run \"tofu metadata functions -json\".");
    print_diagnostics(diags, world);
    return kExitError;
  }
  functions::Environment environment;
  environment.plan_timestamp = "1970-01-01T00:00:00Z";  // so that plantimestamp is listed
  const functions::Table table(std::move(environment));
  ImportedSymbols symbols(world);
  diag::Diagnostics diags;
  if (!symbols.load(diags)) {
    print_diagnostics(diags, world);
    return kExitError;
  }

  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.field("format_version", "1.0");
  json.key("function_signatures");
  json.begin_object();
  // Every built-in function has two names; the sorted list has both.
  std::vector<std::string> names;
  for (const std::string_view name : table.names()) {
    names.emplace_back(name);
    names.push_back("core::" + std::string(name));
  }
  for (const std::string_view name : symbols.names()) names.emplace_back(name);
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const syntax::Function* imported = symbols.find(name);
    json.key(name);
    views::write_function(json, imported != nullptr ? *imported : *table.find(name));
  }
  json.end_object();
  json.end_object();
  world.out.line(text);
  return kExitOk;
}

}  // namespace

const Command kMetadataFunctionsCommand = {
    "metadata functions",
    "Print the signatures of all functions",
    "-json",
    "Prints the name, parameters, result type and description of every function of the language, "
    "and of those in the symbol libraries that the configuration in this directory imports.",
    action<MetadataOptions, run_metadata>(),
};

}  // namespace tofu::commands
