// What happens during a run, as messages for programs: the stream of -json.
//
// OpenTofu's message types and fields (version 1.2 of the format). One line per
// message, and most events are one message.
#pragma once

#include <string>
#include <string_view>

#include "diag/source.h"
#include "plans/events.h"

namespace tofu::views {

// Complete lines with their line feeds; empty for what the stream does not tell.
// `timestamp` is written as it is given.
std::string json_ui_text(const plans::Event& event, std::string_view timestamp,
                         const diag::SourceMap& sources);

}  // namespace tofu::views
