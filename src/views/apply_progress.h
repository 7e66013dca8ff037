// Progress of a run, as lines for people: one line, or a few, per event.
//
// OpenTofu's lines, which other programs follow. This is the plain form, for
// output that is not a terminal and for -concise, which leaves progress out; a
// block that is redrawn (progress_block.h) is another view of the same events.
#pragma once

#include <chrono>
#include <string>

#include "plans/events.h"

namespace tofu::views {

struct ProgressOptions {
  bool color = false;
  bool concise = false;         // summaries and outputs only
  bool show_sensitive = false;  // in outputs
};

// With line feeds; empty for hidden events, and for diagnostics and the plan itself, which have
// their own views.
std::string progress_text(const plans::Event& event, const ProgressOptions& options);

// " [id=i-123]", or nothing.
std::string label_text(const plans::ObjectLabel& label);

// 1m5s: as Go prints a duration of whole seconds.
std::string duration_text(std::chrono::seconds elapsed);

}  // namespace tofu::views
