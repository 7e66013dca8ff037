// What a plan's changes were computed from: the attributes of resources that the changed
// resources and outputs refer to, directly or through locals, variables and modules.
//
// Worked out from references alone, without values, so it may name more than what mattered;
// the people who read a plan are shown what changed outside only where it is named here.
#pragma once

#include <set>
#include <vector>

#include "addrs/resource.h"
#include "eval/program.h"
#include "plans/plan.h"

namespace tofu::engine {

// An output of a module that is not the root, which has no changes in the plan.
struct ModuleOutput {
  addrs::ModuleInstance module;
  const config::Output* output = nullptr;
};

// By address, then by path. What `outputs` refer to counts, too.
std::vector<plans::RelevantAttribute> relevant_attributes(const eval::Program& program,
                                                          const plans::Plan& plan,
                                                          const std::vector<ModuleOutput>& outputs);

// The objects whose values the arguments of these resources are computed from. An address without
// a key stands for all instances of its resource, and a module without one for all of its own.
std::set<addrs::AbsResourceInstance> objects_used_by(const eval::Program& program,
                                                     const std::set<addrs::AbsResource>& resources);

}  // namespace tofu::engine
