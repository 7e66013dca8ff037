// A state as JSON: what `show -json` prints, and the `prior_state` of a plan.
//
// The form is OpenTofu's (version 1.0). Sensitive values are in it: the JSON form has all values,
// with a list of the sensitive ones.
#pragma once

#include <functional>

#include "base/json_writer.h"
#include "schema/provider.h"
#include "views/state_records.h"

namespace tofu::documents {

// One object. Of an empty state it has the format's version and nothing else. After every
// resource instance `pause`, if there is one, may take away the text that was written so far:
// all of it may be too much to have at once.
void write_state_json(base::JsonWriter& json, const views::StateRecords& state,
                      const schema::ProviderSchemas& schemas,
                      const std::function<void()>& pause = {});

}  // namespace tofu::documents
