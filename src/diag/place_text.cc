#include "diag/place_text.h"

#include <fmt/format.h>

namespace tofu::diag {

std::string place_text(const diag::SourceMap& sources, diag::SourceRange range) {
  return fmt::format("{}:{}", sources.name(range.file),
                     sources.position(range.file, range.begin).line);
}

}  // namespace tofu::diag
