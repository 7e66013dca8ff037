#include "diag/consolidate.h"

#include <string>
#include <unordered_map>

namespace tofu::diag {

std::vector<Diagnostic> consolidate(std::span<const Diagnostic> diagnostics, Folding folding,
                                    Severity severity) {
  struct Group {
    std::size_t seen = 0;
    std::size_t last_kept = 0;  // index in `kept`
  };
  std::unordered_map<std::string, Group> groups;
  std::vector<Diagnostic> kept;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != severity || !diagnostic.subject || diagnostic.keep_apart) {
      kept.push_back(diagnostic);
      continue;
    }
    // NUL cannot stand in either part, so two different pairs never look alike.
    Group& group = groups[diagnostic.summary + '\0' + diagnostic.similar_if];
    const std::size_t shown = diagnostic.similar_if.empty() ? folding.by_summary : 1;
    if (group.seen++ < shown || group.seen == 1) {
      group.last_kept = kept.size();
      kept.push_back(diagnostic);
    } else {
      kept[group.last_kept].folded.push_back(*diagnostic.subject);
    }
  }
  return kept;
}

}  // namespace tofu::diag
