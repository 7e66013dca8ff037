// What to do with the journal of a run that did not end.
//
// Pure functions: a state and a journal in, a state and a report out. Who reads and
// stores them, asks and tells the user is elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "state/journal.h"
#include "state/state.h"

namespace tofu::state {

enum class Verdict : std::uint8_t {
  Nothing,    // the run ended, or nothing happened in it: the journal can go
  Apply,      // the journal belongs to this state: its records complete it
  Contained,  // the state is newer and has everything that the journal tells
  Conflict,   // another lineage, or another history: somebody has to decide
};

// A call that was under way when the run died. What it did is not known.
struct InFlight {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};
  Action action = Action::Create;
  std::string since = {};  // RFC 3339
};

struct Recovery {
  Verdict verdict = Verdict::Nothing;
  State state;  // with the records applied, and a raised serial if that changed it
  std::vector<std::string> recovered;  // addresses of objects that the state did not have so
  bool changed = false;                // also by outputs and checks
  std::vector<InFlight> in_flight;
  std::string conflict = {};  // what does not fit, as a clause
};

// `state` is null if there is none. With Conflict, `state` has what still fits for
// whoever wants it.
Recovery recover(const State* state, const Journal& journal);

}  // namespace tofu::state
