// A world in which the program's own parts run: the engine, journals, recovery and stores, on a
// simulated disk, network, clock and provider, in one thread.
//
// Whatever happens, these hold after every step (the reasons are in docs/reliability.md):
// every object that exists is in the state, in a journal, or was reported as in progress; nothing
// is created twice because it was forgotten; nothing is destroyed or changed that the plan did not
// say; no object that was made by half is taken for good; serials and lineages never go back; a
// lock has one owner; secrets are not printed. Without further incidents, the second run at
// the latest leaves the world as configured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/simulation/history.h"

namespace tofu::simulation {

// What a history did, to count with.
struct Tally {
  std::uint64_t runs = 0;
  std::uint64_t incidents = 0;  // that came true
  std::uint64_t objects = 0;    // that were created
};

// Why a history is not as it has to be; nothing if it is. With `log`, what was printed is added
// to it.
std::optional<std::string> violation_of(const History& history, Tally& tally,
                                        std::string* log = nullptr);

}  // namespace tofu::simulation
