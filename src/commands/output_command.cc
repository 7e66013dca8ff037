#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/json_log.h"
#include "cli/option_groups.h"
#include "cli/output.h"
#include "cli/report.h"
#include "commands/context.h"
#include "commands/table.h"
#include "diag/wrap.h"
#include "value/convert.h"
#include "value/json.h"
#include "views/value_text.h"
#include "workdir/journal_recovery.h"
#include "workdir/options.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct OutputOptions {
  cli::JsonDocumentOptions json;
  bool raw = false;
  bool show_sensitive = false;
  workdir::StateFileOptions files;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> names;

  void declare(cli::FlagSet& flags) {
    flags.include(json);
    flags.add(
        "raw", raw,
        {.help = "Print a string, number or bool without quotes and without a trailing newline."});
    cli::add_show_sensitive_flag(flags, show_sensitive);
    workdir::add_state_flag(flags, files.state);
    flags.include(configuration);
    flags.arguments(names);
  }
};

using Outputs = std::map<std::string, state::Output>;

diag::Checked<Outputs> read_outputs(backends::Store& store, Context& context,
                                    diag::Diagnostics& diags) {
  // What a run left in a journal is known only together with the state.
  if (!workdir::has_journals(store)) {
    auto told = store.read_outputs(diags);
    if (!told) return std::nullopt;
    if (told->outputs) return std::move(told->outputs);
  }
  auto stored = workdir::read_for_showing(store, context.terminal, diags);
  if (!stored) return std::nullopt;
  return stored->state ? std::move(stored->state->outputs) : Outputs();
}

std::string json_of(const value::Value& v) {
  const auto json = value::to_json(v);
  TOFU_CHECK(json.ok(), "outputs of a state are known and have no marks");
  return *json;
}

std::string json_of(const Outputs& outputs) {
  std::string text;
  base::JsonWriter writer(text, "  ");
  writer.begin_object();
  for (const auto& [name, output] : outputs) {
    writer.key(name);
    writer.begin_object();
    writer.field("sensitive", output.sensitive);
    if (!output.deprecated.empty()) writer.field("deprecated", output.deprecated);
    writer.key("type");
    writer.raw(value::type_to_json(output.value.type()));
    writer.key("value");
    writer.raw(json_of(output.value));
    writer.end_object();
  }
  writer.end_object();
  return text;
}

// To the file that was asked for.
diag::Checked<void> save_json(const std::string& path, const std::string& document,
                              diag::Diagnostics& diags) {
  if (path.empty()) return true;
  const auto file = cli::PrivateFile::open(path, diags);
  if (file == nullptr) return false;
  file->out().line(document);
  return true;
}

void print_json(const std::string& document, Context& context) {
  context.terminal.out.line(diag::json_safe_for_terminal(document));
}

void print_all(const Outputs& outputs, const OutputOptions& options, Context& context,
               diag::Diagnostics& diags) {
  if (!save_json(options.json.json_into, json_of(outputs), diags)) return;
  if (options.json.json) return print_json(json_of(outputs), context);
  for (const auto& [name, output] : outputs) {
    const bool hidden = output.sensitive && !options.show_sensitive;
    context.terminal.out.line(
        fmt::format("{} = {}", diag::safe_for_terminal(name),
                    hidden ? "<sensitive>" : views::value_text(output.value)));
  }
}

void print_raw(const std::string& name, const value::Value& v, Context& context,
               diag::Diagnostics& diags) {
  const auto text = v.type().is_primitive() && !v.is_null()
                        ? value::convert(v, value::Type::string())
                        : value::PathResult<value::Value>(value::PathError{});
  if (text) return context.terminal.out.write(text->plain().as_string());
  diags.error("Unsupported value for raw output")
      .detail(fmt::format("-raw supports only strings, numbers and bools, and the output \"{}\" "
                          "has another type. Use -json.",
                          name));
}

void show(const OutputOptions& options, Context& context, diag::Diagnostics& diags) {
  const std::vector<std::string>& names = options.names;
  const bool json = options.json.json;
  const bool raw = options.raw;
  if (!options.json.check(diags)) return;
  if (names.size() > 1) {
    diags.error("Too many arguments")
        .detail("Expected the name of one output, or no argument to show all outputs.");
    return;
  }
  if (json && raw) {
    diags.error("Conflicting options").detail("-json and -raw cannot be used together.");
    return;
  }
  if (raw && names.empty()) {
    diags.error("Missing output name").detail("-raw requires the name of an output.");
    return;
  }
  const auto store = workdir::open_store(options.files, context.access, diags);
  if (!store) return;
  const auto read = read_outputs(*store, context, diags);
  if (!read) return;
  const Outputs& outputs = *read;
  if (outputs.empty() && !(json && names.empty())) {
    auto entry = json ? diags.error("Output not found") : diags.warning("No outputs");
    entry.detail("The state has no outputs. Outputs are stored in the state by \"tofu apply\".");
    return;
  }
  if (names.empty()) return print_all(outputs, options, context, diags);
  const auto found = outputs.find(names[0]);
  if (found == outputs.end()) {
    std::vector<std::string_view> known;
    for (const auto& [name, output] : outputs) known.push_back(name);
    diags.error("Output not found")
        .detail(fmt::format("The state has no output named \"{}\".{} If you added it recently, run "
                            "\"tofu apply\" first.",
                            names[0], base::did_you_mean(names[0], known)));
  } else if (!save_json(options.json.json_into, json_of(found->second.value), diags)) {
    return;
  } else if (raw) {
    print_raw(names[0], found->second.value, context, diags);
  } else if (json) {
    print_json(json_of(found->second.value), context);
  } else {
    context.terminal.out.line(views::value_text(found->second.value));
  }
}

int run_output(const OutputOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  show(options, context, diags);
  cli::print_diagnostics(diags, context.terminal);
  return diags.has_errors() ? cli::kExitError : cli::kExitOk;
}

}  // namespace

const cli::Command kOutputCommand = {
    "output",
    "Show output values from the state",
    "[options] [NAME]",
    "Prints the outputs of the root module as stored by the last apply: all of them, or the one "
    "with the given name.",
    cli::action<OutputOptions, run_output>(),
};

}  // namespace tofu::commands
