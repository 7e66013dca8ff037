// Results of checks as JSON documents about plans and states have them.
//
// The form is OpenTofu's: an entry for each checked object of the configuration,
// its instances inside.
#pragma once

#include <vector>

#include "base/json_writer.h"
#include "plans/checks.h"

namespace tofu::documents {

// An array, sorted by address.
void write_checks(base::JsonWriter& json, const std::vector<plans::CheckedObject>& checks);

}  // namespace tofu::documents
