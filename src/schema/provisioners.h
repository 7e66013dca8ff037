// The provisioners that are part of this program (file, local-exec, remote-exec)
// and the connections they use: what may stand in their blocks.
//
// Nothing is run here.
#pragma once

#include <optional>
#include <string_view>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "schema/schema.h"
#include "value/value.h"

namespace tofu::schema {

// Null if there is no such provisioner.
const Block* provisioner_schema(std::string_view type);

// Every argument that some kind of connection has: which of them make sense
// together is known only when the connection is opened.
const Block& connection_schema();

// Checks that concern several arguments of a decoded provisioner block. `config` may hold unknowns,
// but no marks.
void check_provisioner(std::string_view type, const value::Value& config, diag::Diagnostics& diags);

}  // namespace tofu::schema
