#include "views/summary_text.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/counted.h"

namespace tofu::views {

std::string plan_summary(const plans::ChangeCounts& counts) {
  std::string text = "Plan: ";
  if (counts.import > 0) text += fmt::format("{} to import, ", counts.import);
  text += fmt::format("{} to add, {} to change, {} to destroy", counts.add, counts.change,
                      counts.destroy);
  if (counts.forget > 0) text += fmt::format(", {} to forget", counts.forget);
  return text + ".";
}

std::string apply_summary(const plans::ChangeCounts& counts) {
  std::string text = "Apply complete! Resources: ";
  if (counts.import > 0) text += fmt::format("{} imported, ", counts.import);
  text +=
      fmt::format("{} added, {} changed, {} destroyed", counts.add, counts.change, counts.destroy);
  if (counts.forget > 0) text += fmt::format(", {} forgotten", counts.forget);
  return text + ".";
}

std::string destroy_summary(const plans::ChangeCounts& counts) {
  return fmt::format("Destroy complete! Resources: {} destroyed.", counts.destroy);
}

std::string summary_text(const plans::ChangeSummary& summary) {
  switch (summary.operation) {
    case plans::Operation::Plan: return plan_summary(summary.counts);
    case plans::Operation::Apply: return apply_summary(summary.counts);
    case plans::Operation::Destroy: return destroy_summary(summary.counts);
  }
  base::broken_promise("an operation out of range");
}

std::string reads_text(const plans::ObjectReads& reads) {
  std::string text = "Minimal refresh: read " + base::counted(reads.read, "object");
  if (reads.not_read == 0) return text + ", which are all that this plan is about.";
  return text + fmt::format(
                    "; {} not read. Changes made outside of OpenTofu to objects that were not read "
                    "are not part of this plan.",
                    reads.not_read == 1 ? std::string("1 other was")
                                        : fmt::format("{} others were", reads.not_read));
}

std::string_view deferral_text(plans::DeferralReason reason) {
  using plans::DeferralReason;
  switch (reason) {
    case DeferralReason::InstanceCountUnknown: return "its instances are known only after apply";
    case DeferralReason::ProviderConfigUnknown:
      return "its provider configuration is known only after apply";
    case DeferralReason::DeferredPrerequisite: return "it depends on a deferred resource";
  }
  base::broken_promise("a reason out of range");
}

}  // namespace tofu::views
