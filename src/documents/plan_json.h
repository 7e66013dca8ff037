// A plan as JSON: what `show -json PLANFILE` prints.
//
// The form is OpenTofu's (version 1.2), which policy and cost tools read. Written
// piece by piece, so that a plan of a million changes needs no document in memory.
#pragma once

#include <string>
#include <string_view>

#include "plans/plan.h"
#include "schema/provider.h"
#include "views/plan_text.h"
#include "views/state_records.h"

namespace tofu::documents {

struct PlanJsonParts {
  std::string_view version;                    // of this program
  const views::StateRecords* prior = nullptr;  // null: none
  std::string_view configuration = {};         // a JSON object; empty: none
};

// One line of text, in pieces, without a line feed.
void write_plan_json(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
                     const PlanJsonParts& parts, const views::TextOut& out);

}  // namespace tofu::documents
