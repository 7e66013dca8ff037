// Schemas of providers as JSON, the way `providers schema -json` prints them.
//
// The form is OpenTofu's, version 1.0: editors and generators of code read it. Keys stand
// in OpenTofu's order, names within them sorted.
#pragma once

#include <map>
#include <string>

#include "base/json_writer.h"
#include "schema/provider.h"

namespace tofu::documents {

// By the full address of each provider.
void write_schemas_json(base::JsonWriter& json,
                        const std::map<std::string, const schema::ProviderSchema*>& schemas);

}  // namespace tofu::documents
