// A symbol library as JSON: what `show -library` prints for tools.
//
// Says what the library offers and imports, not how it is written: types as
// OpenTofu writes them (optional attributes listed), values with their types, and
// functions as `metadata functions` has them. Sensitive values are omitted.
#pragma once

#include <string>

#include "symbols/library.h"

namespace tofu::documents {

// One line. The library was compiled without errors.
std::string library_json(const symbols::Library& library);

}  // namespace tofu::documents
