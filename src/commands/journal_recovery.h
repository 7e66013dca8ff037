// What commands make of the journal that a run left which did not end.
//
// Commands that change a state complete it first; those that only read show it with
// what the journal adds; `state recover` does it by hand. All answer false or nothing
// if and only if an error was added.
#pragma once

#include <optional>
#include <string>

#include "backends/backend.h"
#include "commands/command.h"
#include "diag/diagnostic.h"
#include "state/journal.h"
#include "state/recovery.h"

namespace tofu::commands {

struct LeftOver {
  state::Recovery recovery;
  std::optional<state::JournalDamage> damage;
};

struct LeftOverSearch {
  std::optional<LeftOver> found;  // none: there is no journal
};

// `stored` is what was read from `store`.
std::optional<LeftOverSearch> find_left_over(const backends::Store& store,
                                             const backends::Stored& stored,
                                             diag::Diagnostics& diags);

// Which objects are recovered, which calls were under way, where the journal is
// damaged. Empty if there is nothing to say.
std::string describe(const LeftOver& left, const std::string& journal_path);

// Removes the journal; a damaged one is kept under another name.
bool remove_journal(const LeftOver& left, const std::string& path, diag::Diagnostics& diags);

// The state with what a journal adds to it, for commands that only read. Standard error
// says so, since other programs read the other stream.
std::optional<backends::Stored> read_for_showing(backends::Store& store, World& world,
                                                 diag::Diagnostics& diags);
// What a journal left is stored first, if `store` is locked; otherwise it is only in
// what is returned.
std::optional<backends::Stored> read_for_change(backends::Store& store, bool is_locked,
                                                diag::Diagnostics& diags);

}  // namespace tofu::commands
