// What the page of a plan shows besides the plan: what depends on what, and the warnings.
//
// References are taken from the compiled configuration; a plan itself points to none. The
// page has them whole and looks for ways through them only on request.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "eval/program.h"
#include "state/state.h"
#include "views/plan_page.h"

namespace tofu::runs {

// By the references of the program and, for what no longer is in it, by what `prior`
// recorded. Linear in both.
views::PageGraph page_graph(const eval::Program& program, const state::State& prior);

views::PlanPageInput page_facts(const eval::Program& program, const state::State& prior,
                                std::string workspace, const diag::Diagnostics& diags,
                                const diag::SourceMap& sources);

}  // namespace tofu::runs
