#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/report.h"
#include "commands/table.h"
#include "config/declare.h"
#include "config/symbol_table.h"
#include "diag/source.h"
#include "documents/function_json.h"
#include "functions/table.h"
#include "install/module_directory.h"
#include "syntax/function.h"
#include "workdir/standalone_library.h"

namespace tofu::commands {

namespace {

struct MetadataOptions {
  bool json = false;

  void declare(cli::FlagSet& flags) {
    flags.add("json", json, {.help = "Print as JSON. Required."});
    flags.ignore_arguments();  // as OpenTofu does
  }
};

// The symbol libraries that the configuration in this directory imports.
class ImportedSymbols {
 public:
  explicit ImportedSymbols(cli::Session& session)
      : sources_(session.sources), libraries_(session.settings.environment, session.sources) {}

  // Where nothing is imported, errors in the configuration do not matter here.
  diag::Checked<void> load(diag::Diagnostics& diags) {
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
  workdir::StandaloneLibraries libraries_;
  std::unique_ptr<config::Module> module_;
  std::optional<config::SymbolTable> table_;  // absent if nothing is imported
};

int run_metadata(const MetadataOptions& options, cli::Session& session) {
  if (!options.json) {
    diag::Diagnostics diags;
    diags.error("The -json option is required")
        .detail(
            "Function signatures are available only as JSON. Run \"tofu metadata functions "
            "-json\".");
    cli::print_diagnostics(diags, session.terminal);
    return cli::kExitError;
  }
  functions::Environment environment;
  environment.plan_timestamp = "1970-01-01T00:00:00Z";  // so that plantimestamp is listed
  const functions::Table table(std::move(environment));
  ImportedSymbols symbols(session);
  diag::Diagnostics diags;
  if (!symbols.load(diags)) {
    cli::print_diagnostics(diags, session.terminal);
    return cli::kExitError;
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
    documents::write_function(json, imported != nullptr ? *imported : *table.find(name));
  }
  json.end_object();
  json.end_object();
  session.terminal.out.line(text);
  return cli::kExitOk;
}

}  // namespace

const cli::Command kMetadataFunctionsCommand = {
    "metadata functions",
    "Print the signatures of all functions",
    "-json",
    "Prints the name, parameters, return type and description of every built-in function, and of "
    "the functions in symbol libraries that the configuration imports.",
    cli::action<MetadataOptions, run_metadata>(),
};

}  // namespace tofu::commands
