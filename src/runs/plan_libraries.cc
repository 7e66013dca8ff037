#include "runs/plan_libraries.h"

#include "base/file.h"
#include "runs/plan_file.h"

namespace tofu::runs {

std::optional<symbols::LibraryPlace> PlanLibraries::locate(const symbols::LibraryRequest& request,
                                                           diag::Diagnostics& diags) {
  if (!is_read_) read_plan();
  if (finder_) return finder_->locate(request, diags);
  diags.error("Symbol library not found").detail(path_ + " has no configuration.");
  return std::nullopt;
}

void PlanLibraries::read_plan() {
  is_read_ = true;
  const auto bytes = base::read_file(path_);
  if (bytes) configuration_ = read_plan_configuration(*bytes);
  if (configuration_) finder_ = saved_libraries(*configuration_, sources_);
}

}  // namespace tofu::runs
