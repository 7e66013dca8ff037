// Plans that the service keeps: what `plan -out` saves of a remote run is a bookmark, and
// `show` and `apply` find the plan by it.
//
// A bookmark holds nothing of the plan, so who has the file needs a token to see the plan.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cloud/saved_plan.h"
#include "commands/command.h"
#include "commands/option_groups.h"
#include "commands/state_printing.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

struct Bookmark {
  std::string run;   // its ID
  std::string host;  // of the service
};

// Nothing if the text is no bookmark.
std::optional<Bookmark> parse_bookmark(std::string_view text);
// The same of a file. Nothing also if it cannot be read.
std::optional<Bookmark> read_bookmark(const std::string& path);
// False if and only if an error was added.
bool write_bookmark(const std::string& path, const Bookmark& bookmark, diag::Diagnostics& diags);

// Prints a plan that the service sent as a document. An error names what is wrong with it.
base::Result<void> print_plan_document(std::string_view json, const cloud::SavedPlan& facts,
                                       bool show_sensitive, World& world);

// Fetches the plan from the service of this directory and prints it. False if and only if an
// error was added.
bool print_remote_plan(const Bookmark& bookmark, const ConfigurationOptions& configuration,
                       const Showing& showing, World& world, diag::Diagnostics& diags);

}  // namespace tofu::commands
