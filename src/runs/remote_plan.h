// Plans that the service keeps: what `plan -out` saves of a remote run is a bookmark, and
// `show` and `apply` find the plan by it.
//
// A bookmark holds nothing of the plan, so who has the file needs a token to see the plan.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/terminal.h"
#include "cloud/saved_plan.h"
#include "diag/diagnostic.h"
#include "runs/state_printing.h"
#include "workdir/access.h"
#include "workdir/options.h"

namespace tofu::runs {

struct Bookmark {
  std::string run;   // its ID
  std::string host;  // of the service
};

// Nothing if the text is no bookmark.
std::optional<Bookmark> parse_bookmark(std::string_view text);
// The same of a file. Nothing also if it cannot be read.
std::optional<Bookmark> read_bookmark(const std::string& path);
diag::Checked<void> write_bookmark(const std::string& path, const Bookmark& bookmark,
                                   diag::Diagnostics& diags);

// Prints a plan that the service sent as a document. An error names what is wrong with it.
base::Result<void> print_plan_document(std::string_view json, const cloud::SavedPlan& facts,
                                       bool show_sensitive, cli::Terminal& terminal);

// Fetches the plan from the service of this directory and prints it.
diag::Checked<void> print_remote_plan(const Bookmark& bookmark, const Showing& showing,
                                      workdir::StateAccess& access, diag::Diagnostics& diags);

}  // namespace tofu::runs
