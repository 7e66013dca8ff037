// The steps of a plan or an apply and what each waits for, as `tofu graph` draws them.
//
// Steps have OpenTofu's names, since other programs read them: "aws_vpc.main (expand)" is
// the block of a resource, "aws_vpc.main[0]" the change of one instance, "module.net
// (close)" the end of a module. Waits that follow from others are left out.
#pragma once

#include "eval/program.h"
#include "plans/plan.h"
#include "state/state.h"
#include "views/dot_text.h"

namespace tofu::commands {

// What a plan of the program does, for what `state` has. The program may have cycles.
views::DotGraph graph_of_planning(const eval::Program& program, const state::State& state);

// What a plan that destroys everything in `state` does.
views::DotGraph graph_of_destroying(const eval::Program& program, const state::State& state);
// What applying `plan` does, which begins with the state `prior`.
views::DotGraph graph_of_applying(const eval::Program& program, const plans::Plan& plan,
                                  const state::State& prior);

}  // namespace tofu::commands
