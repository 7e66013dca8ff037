// How commands use the journals of interrupted runs.
//
// Commands that change a state complete it first; those that only read show it with
// what the journals add; `state recover` does it by hand.
//
// A state cannot hold calls whose results are unknown. A journal is therefore removed only
// after its content was reported: remove_journal() and end_journal() require a `Told`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "base/disk.h"
#include "base/result.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "diag/diagnostic.h"
#include "state/journal.h"
#include "state/journal_writer.h"
#include "state/recovery.h"
#include "workdir/access.h"
#include "workdir/options.h"

namespace tofu::workdir {

// A journal of a run that did not end.
struct PendingJournal {
  std::string path;
  state::Journal journal;
  bool is_foreign = false;  // of another backend or workspace
  bool is_in_use = false;   // of a run in progress, which others see where nothing is locked

  // By what changes the state.
  bool is_left_alone() const { return is_foreign || is_in_use; }
};

// Whether there are any; some may be left alone.
bool has_journals(const backends::Store& store);
// Oldest first.
diag::Checked<std::vector<PendingJournal>> pending_journals(const backends::Store& store,
                                                            diag::Diagnostics& diags);

// Which objects are recovered, which calls were in progress, where the journal is
// damaged. Empty if there is nothing to say.
std::string describe(const state::Recovery& recovery, const PendingJournal& pending);
// The same for one that is left alone, as a clause.
std::string describe_owner(const PendingJournal& pending);

// Objects that only the journals know, or may exist because of a call that was in progress.
diag::Checked<std::vector<std::string>> objects_of_journals_only(const backends::Store& store,
                                                                 const state::State* state,
                                                                 diag::Diagnostics& diags);

// Proof that a report has reached the user: it has left this process, which may be killed now.
class Told {
 private:
  Told() = default;
  friend Told tell(const diag::Diagnostics& problems, cli::Terminal& terminal);
  friend Told tell(const std::string& note, cli::Progress& progress);
};
// Shows problems as the command does.
Told tell(const diag::Diagnostics& problems, cli::Terminal& terminal);
// An empty note is nothing to tell.
Told tell(const std::string& note, cli::Progress& progress);

// Removes a journal whose description was reported; a damaged one is kept under another name.
diag::Checked<void> remove_journal(base::Disk& disk, const PendingJournal& pending, Told told,
                                   diag::Diagnostics& diags);
// Gives it another name, under which no command looks for it: that name.
diag::Checked<std::string> set_journal_aside(base::Disk& disk, const std::string& path,
                                             const std::string& suffix, diag::Diagnostics& diags);

// The journal of a run that begins. Its path is the first that can be written.
struct NewJournal {
  std::string path;
  std::unique_ptr<state::JournalWriter> writer;
};
base::Result<NewJournal> create_journal(const backends::Store& store, state::JournalBegin begin);
// Once the state was stored for good with this serial, and the findings of the run were reported.
void end_journal(NewJournal& journal, std::uint64_t serial, Told told, diag::Diagnostics& diags);

// The state with what journals add to it, for commands that only read. Standard error
// says so, since other programs read the other stream.
diag::Checked<backends::Stored> read_for_showing(backends::Store& store, cli::Terminal& terminal,
                                                 diag::Diagnostics& diags);

struct CompletedState {
  std::optional<state::State> state;   // with what journals add
  std::optional<state::State> stored;  // as it is in the store
};
// Additions from journals are reported, and stored first where `may_store`: the store is locked,
// and this is no dry run. Otherwise they are only in what is returned, and the journals stay.
diag::Checked<CompletedState> read_for_change(backends::Store& store, bool may_store,
                                              cli::Terminal& terminal, diag::Diagnostics& diags);

// The state with what journals add to it, without a report of that: for what must not stop at a
// journal, and changes no objects. Journals that cannot be used are left out.
diag::Checked<backends::Stored> read_without_report(backends::Store& store,
                                                    diag::Diagnostics& diags);

// Completes the states of these workspaces, so that nothing is forgotten when they are copied.
diag::Checked<void> complete_workspaces(backends::Backend& backend,
                                        const std::vector<std::string>& names,
                                        const LockOptions& lock, StateAccess& access,
                                        diag::Diagnostics& diags);

}  // namespace tofu::workdir
