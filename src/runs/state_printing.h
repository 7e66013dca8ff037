// States and plans on standard output or in a file, as `show` and `state show` print them.
//
// What they print is decided by views; here it is only put together. Nothing is printed
// if an error was added.
#pragma once

#include "cli/output.h"
#include "cli/terminal.h"
#include "diag/diagnostic.h"
#include "runs/plan_file.h"
#include "runs/run_providers.h"
#include "state/state.h"
#include "views/state_records.h"
#include "workdir/load_context.h"

namespace tofu::runs {

struct Showing {
  bool json = false;
  bool html = false;            // a page for a browser, of a plan only
  bool show_sensitive = false;  // JSON always has everything
  cli::Output* into = nullptr;  // null: standard output
};

// `state` is null if there is none.
diag::Checked<void> print_state(const state::State* state, const Showing& showing,
                                RunProviders& providers, cli::Terminal& terminal,
                                diag::Diagnostics& diags);
void print_records(const views::StateRecords& records, const Showing& showing,
                   RunProviders& providers, cli::Terminal& terminal);

// Nothing is asked but the file: neither providers nor the sources of its configuration.
bool print_plan(const PlanFile& file, const Showing& showing, const workdir::LoadContext& context,
                cli::Terminal& terminal, diag::Diagnostics& diags);

}  // namespace tofu::runs
