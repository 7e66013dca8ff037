// What moved, by `moved` blocks and by what the configuration implies: the
// statements, and the order in which they are followed.
//
// An implied move is made where `count` was added to a resource or module, or taken
// away from it, and no block says what became of the instance: `x` becomes `x[0]`, or
// the other way round.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "addrs/module.h"
#include "addrs/resource.h"
#include "config/tree.h"
#include "diag/source.h"
#include "engine/address_pattern.h"
#include "eval/graph.h"
#include "state/state.h"

namespace tofu::engine {

enum class MoveKind : std::uint8_t {
  ModuleCall,  // all instances of a call
  ModuleInstance,
  Resource,  // all instances of a resource
  ResourceInstance,
};

bool is_module(MoveKind kind);

// From the module in which the statement is made.
struct MoveEnd {
  addrs::ModuleInstance module;    // the key of a call's last step means nothing
  addrs::ResourceInstance object;  // of resources; the key of a whole one means nothing
};

struct MoveStatement {
  addrs::ModulePath declared_in;  // it is true of each instance of this module
  MoveKind kind = MoveKind::Resource;
  MoveEnd from;
  MoveEnd to;
  diag::SourceRange range;  // of an implied one: what implies it
  bool implied = false;
};

AddressPattern pattern_of(const MoveStatement& statement, const MoveEnd& end);
// "module.m[*].x.y[*]": the end with all that it stands for.
std::string describe(const MoveStatement& statement, const MoveEnd& end);

// Those that are written, the root's first, then those that are implied by what
// `prior` has.
std::vector<MoveStatement> find_moves(const config::Tree& tree, const state::State& prior);

// A statement waits for those that end where it begins, and for those that have to be
// followed before it because one is about the inside of the other.
eval::Waits waits_of(const std::vector<MoveStatement>& statements);

}  // namespace tofu::engine
