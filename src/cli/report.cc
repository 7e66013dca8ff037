#include "cli/report.h"

#include <string_view>
#include <vector>

#include "cli/terminal.h"
#include "cli/view_options.h"
#include "diag/consolidate.h"
#include "diag/render_text.h"

namespace tofu::cli {

void print_diagnostics(const diag::Diagnostics& diags, Terminal& terminal, Spacing spacing) {
  if (diags.empty()) return;
  const ViewOptions& view = terminal.view;
  diag::Diagnostics sorted = diags;
  sorted.sort_for_display(terminal.sources);
  std::vector<diag::Diagnostic> shown(sorted.items().begin(), sorted.items().end());
  if (view.consolidate_warnings) {
    shown = diag::consolidate(shown, {}, diag::Severity::Warning);
  }
  if (view.consolidate_errors) {
    shown = diag::consolidate(shown, {}, diag::Severity::Error);
  }
  const diag::TextOptions out_options{view.color, terminal.out_width, terminal.difference_text};
  const diag::TextOptions err_options{view.color, terminal.err_width, terminal.difference_text};
  if (view.compact_warnings && !diags.has_errors()) {
    terminal.out.write("\n");
    terminal.out.write(diag::format_warnings_compact(shown, terminal.sources, out_options));
    terminal.out.line("\nTo see the full warnings, run without -compact-warnings.");
    terminal.out.flush();
    return;
  }
  const std::string_view end = spacing == Spacing::Wide ? "\n" : "";
  for (const diag::Diagnostic& diagnostic : shown) {
    if (diagnostic.severity == diag::Severity::Warning) {
      terminal.out.write(diag::format_diagnostic(diagnostic, terminal.sources, out_options));
      terminal.out.write(end);
    } else {
      terminal.out.flush();  // so that what came before is seen before
      terminal.err.write(diag::format_diagnostic(diagnostic, terminal.sources, err_options));
      terminal.err.write(end);
    }
  }
  terminal.out.flush();  // so that what comes after is seen after
  terminal.err.flush();
}

}  // namespace tofu::cli
