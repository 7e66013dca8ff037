#include <string_view>
#include <vector>

#include "commands/command.h"
#include "diag/consolidate.h"
#include "diag/render_text.h"
#include "views/difference_text.h"

namespace tofu::commands {

void print_diagnostics(const diag::Diagnostics& diags, World& world, Spacing spacing) {
  if (diags.empty()) return;
  const ViewOptions& view = world.view;
  diag::Diagnostics sorted = diags;
  sorted.sort_for_display(world.sources);
  std::vector<diag::Diagnostic> shown(sorted.items().begin(), sorted.items().end());
  if (view.consolidate_warnings) {
    shown = diag::consolidate(shown, {}, diag::Severity::Warning);
  }
  if (view.consolidate_errors) {
    shown = diag::consolidate(shown, {}, diag::Severity::Error);
  }
  const diag::TextOptions out_options{view.color, world.environment.stdout_width,
                                      views::difference_text};
  const diag::TextOptions err_options{view.color, world.environment.stderr_width,
                                      views::difference_text};
  if (view.compact_warnings && !diags.has_errors()) {
    world.out.write("\n");
    world.out.write(diag::format_warnings_compact(shown, world.sources, out_options));
    world.out.line("\nTo see them in full, omit -compact-warnings.");
    return;
  }
  const std::string_view end = spacing == Spacing::Wide ? "\n" : "";
  for (const diag::Diagnostic& diagnostic : shown) {
    if (diagnostic.severity == diag::Severity::Warning) {
      world.out.write(diag::format_diagnostic(diagnostic, world.sources, out_options));
      world.out.write(end);
    } else {
      world.out.flush();  // so that what came before is seen before
      world.err.write(diag::format_diagnostic(diagnostic, world.sources, err_options));
      world.err.write(end);
    }
  }
  world.err.flush();  // so that what comes after is seen after
}

}  // namespace tofu::commands
