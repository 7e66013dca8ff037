#include "views/summary_text.h"

#include <fmt/format.h>

#include "base/check.h"

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

}  // namespace tofu::views
