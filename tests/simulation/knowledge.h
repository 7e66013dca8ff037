// What the files that a command leaves know of the objects that exist.
//
// Read in the simplest way, so that it is not the code under test that judges itself: texts are
// searched, and of a journal only its records are read by the program's own reader.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "state/state.h"
#include "tests/simulation/disk.h"

namespace tofu::simulation {

struct StateHead {
  std::uint64_t serial = 0;
  std::string lineage = {};
};
// Of the text of a state; an empty text has none.
StateHead head_of(std::string_view state);

struct Knowledge {
  std::set<std::string> ids = {};        // of objects that are in the state or in a journal
  std::set<std::string> in_flight = {};  // addresses of calls in journals that did not end
};
Knowledge knowledge_of(std::string_view state, const SimulatedDisk& disk);

// The files, and the records of journals, for people.
std::string describe_files(const SimulatedDisk& disk);

// The IDs of the objects of a state: all, and those that are current and not tainted.
std::set<std::string> object_ids(const state::State& state);
std::set<std::string> good_ids(std::string_view state);

bool is_sensitive(const state::Output& output);
// Every text inside of the value of an output.
std::set<std::string> texts_in(const state::Output& output);

}  // namespace tofu::simulation
