// A state in which everything has the address that the configuration has for it.
//
// Moves are followed before anything is planned, so planning knows new addresses
// only; where an object came from is kept beside, for the plan to show and for the
// provider to be asked when the type changed as well. Whether the statements make
// sense is found out afterwards, when it is known which instances there are: until
// then, what cannot be followed is passed over.
//
// The time grows with statements and with what moves. A statement about something
// that is not in the state costs a search, however many instances there are.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "addrs/resource.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "engine/move_statements.h"
#include "state/state.h"

namespace tofu::engine {

struct MovedFrom {
  addrs::AbsResourceInstance address;  // before the first of its moves
  bool implied = false;                // the last of them is not written
};

struct InstanceHash {
  std::size_t operator()(const addrs::AbsResourceInstance& address) const;
};

struct MoveOutcome {
  state::State state;
  std::vector<MoveStatement> statements;
  // By the address that an instance has now.
  std::unordered_map<addrs::AbsResourceInstance, MovedFrom, InstanceHash> moved;
  // What stayed because something else has the place already: its address, and the
  // place. An instance may have moved some way before.
  std::map<std::string, std::string> blocked;

  // Null if it always had this address.
  const MovedFrom* moved_from(const addrs::AbsResourceInstance& now) const;
};

// Statements that wait for each other are not followed, and neither are the others;
// check_moves() reports that.
MoveOutcome apply_moves(const config::Tree& tree, state::State prior);

// Which instances the configuration has, once everything is expanded. Asked only
// where there are statements.
struct DeclaredInstances {
  std::function<std::vector<addrs::ModuleInstance>(const addrs::ModulePath&)> of_module;
  std::function<bool(const addrs::ModuleInstance&)> has_module;
  std::function<bool(const addrs::AbsResourceInstance&)> has_instance;
};

// Reports statements that contradict each other or the configuration: what did not
// move, is still there, has two destinations or two origins, or goes in circles. With
// such an error everything else that a plan found is not worth telling.
void check_moves(const std::vector<MoveStatement>& statements, const config::Tree& tree,
                 const DeclaredInstances& declared, diag::Diagnostics& diags);

// Warns of what could not be moved. For plans without errors.
void warn_of_blocked_moves(const MoveOutcome& outcome, diag::Diagnostics& diags);

}  // namespace tofu::engine
