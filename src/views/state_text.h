// A state for people: each object as a block, then the outputs.
//
// OpenTofu's line by line. It is the renderer of plans that writes it: a state is
// a plan in which nothing changes, and all of it is shown.
#pragma once

#include <string>

#include "schema/provider.h"
#include "views/plan_text.h"
#include "views/state_records.h"

namespace tofu::views {

struct StateTextOptions {
  bool color = false;
  bool show_sensitive = false;
};

void write_state_text(const StateRecords& state, const schema::ProviderSchemas& schemas,
                      const StateTextOptions& options, const TextOut& out);

}  // namespace tofu::views
