// A ModuleSource without any modules.
//
// For looking at one module by itself: its calls lead nowhere, and that is not an error
// of the author.
#pragma once

#include <optional>

#include "config/tree.h"

namespace tofu::config {

class NoModules final : public ModuleFinder {
 public:
  std::optional<FoundModule> find(const ModuleRequest&, diag::Diagnostics&) override {
    return std::nullopt;
  }
  std::optional<ParsedFiles> read(const ModuleRequest&, const FoundModule&,
                                  diag::Diagnostics&) override {
    return std::nullopt;
  }
};

}  // namespace tofu::config
