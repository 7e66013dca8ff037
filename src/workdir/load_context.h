// What reading a configuration needs besides its files.
//
// Values of variables come from the environment, files are added to the sources, and functions that
// wait end when a stop is requested.
#pragma once

#include <stop_token>
#include <string>

#include "cli/settings.h"
#include "diag/deprecation_level.h"
#include "diag/source.h"

namespace tofu::workdir {

// Cheap to copy. What it refers to outlives it.
struct LoadContext {
  const cli::Settings& settings;
  diag::SourceMap& sources;  // gets every file that is read
  std::stop_token stop;
  diag::DeprecationLevel deprecation = diag::DeprecationLevel::All;
  bool deprecation_errors = false;
  std::string deprecation_baseline = {};  // as cli::ViewOptions says

  const cli::Environment& environment() const { return settings.environment; }
};

}  // namespace tofu::workdir
