#include "cli/view_options.h"

#include <fmt/format.h>
#include <optional>

namespace tofu::cli {

namespace {

using diag::DeprecationLevel;

// The value of -deprecation: a level, and that uses are errors.
struct DeprecationChoice {
  std::optional<DeprecationLevel> level;
  bool errors = false;
};
constexpr Choice<DeprecationChoice> kDeprecationChoices[] = {
    {"error", {std::nullopt, true}},
    {"module:all", {DeprecationLevel::All}},
    {"module:local", {DeprecationLevel::Local}},
    {"module:none", {DeprecationLevel::None}},
};
// The same setting as it was first proposed.
constexpr Choice<DeprecationLevel> kModuleDeprecationLevels[] = {
    {"all", DeprecationLevel::All},
    {"local", DeprecationLevel::Local},
    {"none", DeprecationLevel::None},
};

// As written: what the fields of ViewOptions are made of.
struct ViewFlags {
  bool no_color = false;
  DeprecationChoice deprecation;
  std::optional<DeprecationLevel> module_deprecation;
  ViewOptions options;

  void declare(FlagSet& flags) {
    flags.heading("Options for every command");
    flags.add("no-color", no_color, {.help = "Disable colored output."});
    flags.add("compact-warnings", options.compact_warnings,
              {.help = "Print only the summaries of warnings, unless errors are reported too."});
    flags.add("consolidate-warnings", options.consolidate_warnings,
              {.help = "Print every warning, including repeated ones."});
    flags.add("consolidate-errors", options.consolidate_errors,
              {.help = "Print repeated errors only once."});
    flags.add("concise", options.concise,
              {.help = "Omit progress lines while reading and changing resources."});
    flags.add("deprecation", deprecation, kDeprecationChoices,
              {.value = "module:LEVEL",
               .help = "Which uses of deprecated module variables and outputs to warn about: "
                       "module:all, module:local (not inside remote modules) or module:none. "
                       "\"error\" makes them errors; the level is -module-deprecation-warnings "
                       "then."});
    flags.add("deprecation-baseline", options.deprecation_baseline,
              {.value = "FILE",
               .help = "Leave out the uses of deprecated declarations that this file lists. \"tofu "
                       "deprecations -baseline=FILE\" writes it.",
               .completes = Completes::Files});
    flags.add("module-deprecation-warnings", module_deprecation, kModuleDeprecationLevels,
              {.value = "LEVEL", .help = "Same as -deprecation: all, local or none."});
  }
};

}  // namespace

ViewOptions take_view_options(std::vector<std::string>& arguments, diag::Diagnostics& diags) {
  ViewFlags view;
  FlagSet flags;
  flags.include(view);
  flags.take(arguments, diags);
  view.options.color = !view.no_color;
  const auto& level = view.deprecation.level;
  if (level && view.module_deprecation && *level != *view.module_deprecation) {
    diags.error("Conflicting deprecation options")
        .detail(
            "-deprecation and -module-deprecation-warnings set the same option to different "
            "values. Remove one of them.");
  }
  view.options.deprecation =
      level.value_or(view.module_deprecation.value_or(DeprecationLevel::All));
  view.options.deprecation_errors = view.deprecation.errors;
  return view.options;
}

std::vector<FlagInfo> view_flags() {
  ViewFlags view;
  FlagSet flags;
  flags.include(view);
  return flags.infos();
}

std::string colored(const ViewOptions& view, Color color, std::string_view text) {
  if (!view.color) return std::string(text);
  return fmt::format("{}\x1b[1m{}\x1b[0m", color == Color::Green ? "\x1b[32m" : "", text);
}

}  // namespace tofu::cli
