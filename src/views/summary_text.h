// The one-line summaries that end a plan, an apply or a destroy.
//
// Other programs read them, so they are OpenTofu's to the letter, and the same
// for people and in messages.
#pragma once

#include <string>
#include <string_view>

#include "plans/events.h"
#include "plans/plan.h"

namespace tofu::views {

// Plan: 1 to import, 2 to add, 0 to change, 0 to destroy, 1 to forget.
std::string plan_summary(const plans::ChangeCounts& counts);
// Apply complete! Resources: 2 added, 0 changed, 0 destroyed.
std::string apply_summary(const plans::ChangeCounts& counts);
// Destroy complete! Resources: 2 destroyed.
std::string destroy_summary(const plans::ChangeCounts& counts);

std::string summary_text(const plans::ChangeSummary& summary);

// Ours: what a minimal refresh read, and what it cannot say of the rest.
std::string reads_text(const plans::ObjectReads& reads);

// Why a resource is left for a later run, as words for people.
std::string_view deferral_text(plans::DeferralReason reason);

}  // namespace tofu::views
