// Diagnostics as programs read them.
//
// The fields and their order are those of OpenTofu's -json output, which editors
// and build systems depend on.
#pragma once

#include <span>

#include "base/json_writer.h"
#include "diag/diagnostic.h"
#include "diag/edit.h"
#include "diag/source.h"

namespace tofu::diag {

// Writes one object: severity, summary, detail, address, range, snippet; and last, as OpenTofu does
// not, the difference of two values and the edits that settle it.
void write_json(base::JsonWriter& out, const Diagnostic& diagnostic, const SourceMap& sources,
                std::span<const Edit> edits = {});

}  // namespace tofu::diag
