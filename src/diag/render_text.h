// Diagnostics as people read them.
//
// The shape is OpenTofu's, so that eyes and tools that know it find their way: boxed with a colored
// rule when color is on, plain otherwise. The caller decides about color and width (OpenTofu uses
// 78 columns without a terminal). Nothing is printed here.
#pragma once

#include <span>
#include <string>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::diag {

struct TextOptions {
  bool color = false;
  int width = 0;  // columns; 0 does not wrap
  // How the two sides of a comparison are compared line by line, without a final line feed. It
  // needs to know values, so it is for the caller to say; null: they are not shown.
  std::string (*difference)(const ShownDifference& shown, bool color) = nullptr;
};

// One diagnostic, ready to print, ending with a line feed.
std::string format_diagnostic(const Diagnostic& diagnostic, const SourceMap& sources,
                              const TextOptions& options);

// Warnings alone, two lines each, for -compact-warnings.
std::string format_warnings_compact(std::span<const Diagnostic> warnings, const SourceMap& sources,
                                    const TextOptions& options);

}  // namespace tofu::diag
