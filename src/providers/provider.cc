#include "providers/provider.h"

#include <algorithm>

namespace tofu::providers {

bool Answer::has_errors() const {
  return std::ranges::any_of(
      problems, [](const Problem& one) { return one.severity == diag::Severity::Error; });
}

}  // namespace tofu::providers
