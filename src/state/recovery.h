// Recovery from the journal of an interrupted run.
//
// Pure functions: a state and a journal in, a state and a report out. The caller reads and stores
// files and talks to the user.
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
  Contained,  // the state is newer and knows every object of the journal: it can go
  Offer,      // the state is newer, and there are objects that only the journal knows
  Conflict,   // another lineage, or an older state: a person has to decide
};

// An object as people are shown it.
std::string subject_text(const addrs::AbsResourceInstance& address, const std::string& deposed_key);

// How completing the state changes an object that the journal has otherwise.
enum class Effect : std::uint8_t {
  Add,     // only the journal has it
  Update,  // both have it
  Remove,  // the run destroyed it
  Keep,    // the state is newer, or of another lineage: it stays as it is
};

struct ObjectEffect {
  std::string subject;  // the address, and the key of a deposed object
  Effect effect = Effect::Add;
  addrs::AbsResourceInstance address = {};
};

// A pending call of the interrupted run. Its result is not known.
struct InFlight {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};
  Action action = Action::Create;
  std::string since = {};  // RFC 3339
};

// An object whose provisioners had not all finished when the run was interrupted. With Create it is
// tainted now; with Delete it is as it was, and still to be destroyed.
struct HalfProvisioned {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};
  Action action = Action::Create;
  std::string since = {};  // RFC 3339
};

struct Recovery {
  Verdict verdict = Verdict::Nothing;
  State state;  // with what of the journal counts, and a raised serial if that changed it
  std::vector<ObjectEffect> effects;   // by address
  std::vector<std::string> recovered;  // the subjects that change
  bool changed = false;                // also by outputs and checks
  bool is_other_lineage = false;
  bool is_ambiguous = false;  // one object may have two addresses: its move may be damaged
  std::vector<InFlight> in_flight;
  std::vector<HalfProvisioned> half_provisioned;
  std::string conflict = {};  // what does not fit, as a clause
};

// `state` is null if there is none. With Offer and Conflict, the result contains the state after a
// recovery that the user confirms: a newer state, and one of another lineage, only gets objects
// that it does not know at all.
Recovery recover(const State* state, const Journal& journal);

// The changes that turn the objects of `from` into those of `to`. Data sources are left out: they
// are read again.
std::vector<JournalRecord> changed_objects(const State& from, const State& to);

// Whether the run of this journal ended with `state`, or with one before it: it has all objects and
// outputs of the journal, except for calls and provisioners without a recorded end.
bool contains_run(const State& state, const Journal& journal);

}  // namespace tofu::state
