// A plan as one page for a browser: it is self-contained and loads nothing.
//
// The page is a frame (plan_page/: its text, style and script) and the plan's data as JSON;
// the script makes the lines that are looked at, so that ten thousand changes open as
// quickly as ten. The text of each change is that of the terminal. Sensitive values are
// not in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/graph.h"
#include "plans/plan.h"
#include "schema/provider.h"
#include "views/plan_text.h"

namespace tofu::views {

// The dependency graph. The page computes the paths between resources itself, through all
// intermediate nodes.
struct PageGraph {
  std::vector<std::string> names;  // of resources, without instance keys; empty: another object
  base::Waits waits;               // by position in `names`
};

struct PageNotice {
  bool is_error = false;
  std::string summary;
  std::string detail;
  std::string place;  // main.tf:3; may be empty
};

struct PlanPageInput {
  std::string version;
  std::string workspace;
  PageGraph graph;
  std::vector<PageNotice> notices;
};

void write_plan_page(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
                     const PlanPageInput& input, const TextOut& out);

}  // namespace tofu::views
