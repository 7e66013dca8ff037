// States and plans on standard output or in a file, as `show` and `state show` print them.
//
// What they print is decided by views; here it is only put together. Nothing is printed
// if an error was added.
#pragma once

#include "commands/command.h"
#include "commands/plan_file.h"
#include "diag/diagnostic.h"
#include "state/state.h"
#include "views/state_records.h"

namespace tofu::commands {

struct Showing {
  bool json = false;
  bool html = false;            // a page for a browser, of a plan only
  bool show_sensitive = false;  // JSON always has everything
  Output* into = nullptr;       // null: standard output
};

// `state` is null if there is none. False if and only if an error was added.
bool print_state(const state::State* state, const Showing& showing, World& world,
                 diag::Diagnostics& diags);
void print_records(const views::StateRecords& records, const Showing& showing, World& world);

// Nothing is asked but the file: neither providers nor the sources of its configuration.
bool print_plan(const PlanFile& file, const Showing& showing, World& world,
                diag::Diagnostics& diags);

}  // namespace tofu::commands
