// Progress of a run, as messages for programs: the stream of -json.
//
// OpenTofu's message types and fields (version 1.2 of the format). One line per
// message, and most events are one message.
#pragma once

#include <string>
#include <string_view>

#include "diag/source.h"
#include "plans/events.h"

namespace tofu::documents {

// Complete lines with their line feeds; empty for events that the stream does not have. `timestamp`
// is written as it is given.
std::string json_ui_text(const plans::Event& event, std::string_view timestamp,
                         const diag::SourceMap& sources);

}  // namespace tofu::documents
