#include "commands/view_options.h"

#include <fmt/format.h>
#include <optional>

namespace tofu::commands {

namespace {

using eval::DeprecationLevel;

constexpr Choice<DeprecationLevel> kDeprecationLevels[] = {
    {"module:all", DeprecationLevel::All},
    {"module:local", DeprecationLevel::Local},
    {"module:none", DeprecationLevel::None},
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
  std::optional<DeprecationLevel> deprecation;
  std::optional<DeprecationLevel> module_deprecation;
  ViewOptions options;

  void declare(FlagSet& flags) {
    flags.heading("Options of every command");
    flags.add("no-color", no_color, {.help = "Print without colours."});
    flags.add("compact-warnings", options.compact_warnings,
              {.help = "Print only the summaries of warnings, unless there are errors too."});
    flags.add("consolidate-warnings", options.consolidate_warnings,
              {.help = "Print every warning, also where several say the same."});
    flags.add("consolidate-errors", options.consolidate_errors,
              {.help = "Print errors that say the same only once."});
    flags.add("concise", options.concise,
              {.help = "Print less while resources are read and changed."});
    flags.add("deprecation", deprecation, kDeprecationLevels,
              {.value = "module:LEVEL",
               .help = "Which uses of deprecated module variables and outputs are warned about: "
                       "module:all, module:local (not inside modules fetched from elsewhere) or "
                       "module:none."});
    flags.add("module-deprecation-warnings", module_deprecation, kModuleDeprecationLevels,
              {.value = "LEVEL", .help = "The same setting: all, local or none."});
  }
};

}  // namespace

ViewOptions take_view_options(std::vector<std::string>& arguments, diag::Diagnostics& diags) {
  ViewFlags view;
  FlagSet flags;
  flags.include(view);
  flags.take(arguments, diags);
  view.options.color = !view.no_color;
  if (view.deprecation && view.module_deprecation &&
      *view.deprecation != *view.module_deprecation) {
    diags.error("Two deprecation levels")
        .detail(
            "-deprecation and -module-deprecation-warnings are two spellings of one setting, but "
            "their values differ. Omit one of them.");
  }
  view.options.deprecation =
      view.deprecation.value_or(view.module_deprecation.value_or(DeprecationLevel::All));
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

}  // namespace tofu::commands
