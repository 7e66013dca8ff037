// Parts of an object's text: the lists of sensitive paths and of dependencies, and its "id".
//
// The lists are used by the reader of state files, which checks them, and by Object, which reads
// them again on demand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "addrs/resource.h"
#include "base/result.h"
#include "diag/diagnostic.h"
#include "state/object.h"
#include "value/path.h"

namespace tofu::state {

// `json` is compact JSON text that was checked to be well-formed.
base::Result<std::vector<value::Path>> parse_sensitive_paths(std::string_view json);
std::string sensitive_paths_json(const std::vector<value::Path>& paths);

// Strings of a JSON array; a null is an empty string. An error for anything else.
base::Result<std::vector<std::string>> parse_json_strings(std::string_view json);

diag::Checked<std::vector<addrs::ConfigResource>> parse_dependencies(
    const std::vector<std::string>& addresses, diag::Diagnostics& diags);
// Empty for no dependencies.
std::string dependencies_json(const std::vector<addrs::ConfigResource>& dependencies);

// The attribute "id" of an object; empty if it has none or it is not a string.
std::string id_of(const Object& object);

}  // namespace tofu::state
