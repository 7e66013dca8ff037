// The steps of a plan or an apply and what each waits for, as `tofu graph` draws them.
//
// Steps have OpenTofu's names, since other programs read them: "aws_vpc.main (expand)" is
// the block of a resource, "aws_vpc.main[0]" the change of one instance, "module.net
// (close)" the end of a module. Waits that follow from others are left out.
#pragma once

#include "engine/run.h"
#include "eval/program.h"
#include "state/state.h"
#include "views/dot_text.h"

namespace tofu::commands {

// What a plan of the program does, for what `state` has. The program may have cycles.
views::DotGraph graph_of_planning(const eval::Program& program, const state::State& state);

// The steps of a plan that destroys everything in `state`.
views::DotGraph graph_of_destroying(const eval::Program& program, const state::State& state);
// The steps of applying the plan.
views::DotGraph graph_of_applying(const eval::Program& program, engine::Planned planned);

}  // namespace tofu::commands
