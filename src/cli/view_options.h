// The options that every command takes, wherever they stand among its arguments.
//
// They say how things are shown, never what is done, so they are taken out
// before a command reads its own flags.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "diag/deprecation_level.h"

namespace tofu::cli {

struct ViewOptions {
  bool color = true;
  bool compact_warnings = false;
  bool consolidate_warnings = true;
  bool consolidate_errors = false;
  bool concise = false;  // plans and their progress without what did not change
  // Which uses of deprecated variables and outputs are warned about.
  diag::DeprecationLevel deprecation = diag::DeprecationLevel::All;
  bool deprecation_errors = false;   // they are errors
  std::string deprecation_baseline;  // a file with uses that are known; empty: none
};

// Removes the view options from `arguments` and returns what they say. What is wrong
// with them is reported.
ViewOptions take_view_options(std::vector<std::string>& arguments, diag::Diagnostics& diags);

// For help and completion.
std::vector<FlagInfo> view_flags();

// `text` in bold and a color, if colors are wanted.
enum class Color : std::uint8_t { None, Green };
std::string colored(const ViewOptions& view, Color color, std::string_view text);

}  // namespace tofu::cli
