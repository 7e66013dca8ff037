#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json_writer.h"
#include "commands/command.h"
#include "commands/journal_recovery.h"
#include "commands/json_log.h"
#include "commands/option_groups.h"
#include "commands/state_access.h"
#include "value/convert.h"
#include "value/json.h"
#include "views/value_text.h"

namespace tofu::commands {

namespace {

struct OutputOptions {
  JsonDocumentOptions json;
  bool raw = false;
  bool show_sensitive = false;
  StateFileOptions files;
  ConfigurationOptions configuration;
  std::vector<std::string> names;

  void declare(FlagSet& flags) {
    flags.include(json);
    flags.add("raw", raw,
              {.help = "Print a string, number or bool as it is, without quotes and without a line "
                       "feed."});
    add_show_sensitive_flag(flags, show_sensitive);
    add_state_flag(flags, files.state);
    flags.include(configuration);
    flags.arguments(names);
  }
};

using Outputs = std::map<std::string, state::Output>;

// Nothing if and only if an error was added.
std::optional<Outputs> read_outputs(backends::Store& store, World& world,
                                    diag::Diagnostics& diags) {
  // What a run left in a journal is known only together with the state.
  const auto journal = base::file_kind(store.journal_path());
  if (journal && *journal == base::FileKind::Missing) {
    auto told = store.read_outputs(diags);
    if (!told) return std::nullopt;
    if (told->outputs) return std::move(told->outputs);
  }
  auto stored = read_for_showing(store, world, diags);
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

// To the file that was asked for. False if and only if an error was added.
bool save_json(const std::string& path, const std::string& document, diag::Diagnostics& diags) {
  if (path.empty()) return true;
  const auto file = PrivateFile::open(path, diags);
  if (file == nullptr) return false;
  file->out().line(document);
  return true;
}

void print_all(const Outputs& outputs, const OutputOptions& options, World& world,
               diag::Diagnostics& diags) {
  if (!save_json(options.json.json_into, json_of(outputs), diags)) return;
  if (options.json.json) return world.out.line(json_of(outputs));
  for (const auto& [name, output] : outputs) {
    const bool hidden = output.sensitive && !options.show_sensitive;
    world.out.line(
        fmt::format("{} = {}", name, hidden ? "<sensitive>" : views::value_text(output.value)));
  }
}

void print_raw(const std::string& name, const value::Value& v, World& world,
               diag::Diagnostics& diags) {
  const auto text = v.type().is_primitive() && !v.is_null()
                        ? value::convert(v, value::Type::string())
                        : value::PathResult<value::Value>(value::PathError{});
  if (text) return world.out.write(text->plain().as_string());
  diags.error("The output cannot be printed with -raw")
      .detail(fmt::format("\"{}\" is neither a string nor a number nor a bool. Use -json.", name));
}

void show(const OutputOptions& options, World& world, diag::Diagnostics& diags) {
  const std::vector<std::string>& names = options.names;
  const bool json = options.json.json;
  const bool raw = options.raw;
  if (!options.json.check(diags)) return;
  if (names.size() > 1) {
    diags.error("Too many arguments").detail("Give the name of one output, or none for all.");
    return;
  }
  if (json && raw) {
    diags.error("Options that exclude each other").detail("Give only one of -json and -raw.");
    return;
  }
  if (raw && names.empty()) {
    diags.error("A name is needed").detail("-raw prints one output. Give its name.");
    return;
  }
  const auto store = open_store(options.files, options.configuration, world, diags);
  if (!store) return;
  const auto read = read_outputs(*store, world, diags);
  if (!read) return;
  const Outputs& outputs = *read;
  if (outputs.empty() && !(json && names.empty())) {
    auto entry = json ? diags.error("No such output") : diags.warning("No outputs");
    entry.detail("The state has no outputs: none is in the configuration, or it was not applied.");
    return;
  }
  if (names.empty()) return print_all(outputs, options, world, diags);
  const auto found = outputs.find(names[0]);
  if (found == outputs.end()) {
    diags.error("No such output")
        .detail(fmt::format("The state has no output \"{}\". A new one is added by \"tofu "
                            "apply\".",
                            names[0]));
  } else if (!save_json(options.json.json_into, json_of(found->second.value), diags)) {
    return;
  } else if (raw) {
    print_raw(names[0], found->second.value, world, diags);
  } else {
    world.out.line(json ? json_of(found->second.value) : views::value_text(found->second.value));
  }
}

int run_output(const OutputOptions& options, World& world) {
  diag::Diagnostics diags;
  show(options, world, diags);
  print_diagnostics(diags, world);
  return diags.has_errors() ? kExitError : kExitOk;
}

}  // namespace

const Command kOutputCommand = {
    "output",
    "Show the outputs of the state",
    "[options] [NAME]",
    "Prints the values that the root module gave out when it was last applied: all of them, or "
    "the one of that name.",
    action<OutputOptions, run_output>(),
};

}  // namespace tofu::commands
