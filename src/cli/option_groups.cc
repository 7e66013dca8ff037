#include "cli/option_groups.h"

#include <string_view>
#include <utility>

namespace tofu::cli {

bool report_conflicting_options(std::string detail, diag::Diagnostics& diags) {
  diags.error("Conflicting options").detail(std::move(detail));
  return false;
}

void JsonOptions::declare(FlagSet& flags) {
  flags.add("json", json, {.help = "Print output as a stream of JSON messages."});
  flags.add("json-into", json_into,
            {.value = "FILE",
             .help = "Also write the JSON message stream to this file.",
             .completes = Completes::Files});
}

diag::Checked<void> JsonOptions::check(diag::Diagnostics& diags) const {
  if (!json || json_into.empty()) return true;
  return report_conflicting_options(
      "-json writes to standard output the same stream that -json-into writes to a file. Use only "
      "one of them.",
      diags);
}

void JsonDocumentOptions::declare(FlagSet& flags) {
  flags.add("json", json, {.help = "Print as JSON, including sensitive values."});
  flags.add("json-into", json_into,
            {.value = "FILE",
             .help = "Also write the JSON document to this file, readable only by you.",
             .completes = Completes::Files});
}

bool JsonDocumentOptions::check(diag::Diagnostics& diags) const {
  return JsonOptions{json, json_into}.check(diags);
}

void InputOptions::declare(FlagSet& flags) {
  flags.add("input", input,
            {.help = "Do not prompt for input; fail if a required value is missing."});
}

bool may_ask(const InputOptions& input, const JsonOptions& json, const Environment& environment) {
  const auto allowed = parse_bool(environment.variable("TF_INPUT"));
  return input.input && !json.json && allowed.value_or(true);
}

void add_show_sensitive_flag(FlagSet& flags, bool& show) {
  flags.add("show-sensitive", show, {.help = "Show sensitive values."});
}

}  // namespace tofu::cli
