#include "runs/approval.h"

#include <fmt/format.h>

#include "base/check.h"
#include "cli/cancellation.h"
#include "cli/prompt.h"
#include "cli/terminal.h"
#include "cli/view_options.h"

namespace tofu::runs {

namespace {

struct Question {
  std::string ask;
  std::string_view explain;
};

Question question_for(plans::Mode mode, const std::string& workspace) {
  const std::string where =
      workspace == "default" ? "" : fmt::format(" in workspace \"{}\"", workspace);
  switch (mode) {
    case plans::Mode::Normal:
      return {fmt::format("Do you want to perform these actions{}?", where),
              "OpenTofu will make the changes shown above."};
    case plans::Mode::Destroy:
      return {fmt::format("Do you really want to destroy all resources{}?", where),
              "OpenTofu will destroy everything shown above. This cannot be undone."};
    case plans::Mode::RefreshOnly:
      return {fmt::format("Do you want to record these changes in the state{}?", where),
              "Only the state will be changed. This cannot be undone."};
  }
  base::broken_promise("a mode out of range");
}

}  // namespace

Approval ask_for_approval(plans::Mode mode, const std::string& workspace, cli::Terminal& terminal,
                          cli::Cancellation& cancellation, diag::Diagnostics& diags) {
  const Question question = question_for(mode, workspace);
  const auto answer = cli::ask_person(
      fmt::format("\n{}\n  {}\n  Only 'yes' will be accepted to approve.\n\n  {}",
                  cli::colored(terminal.view, cli::Color::None, question.ask), question.explain,
                  cli::colored(terminal.view, cli::Color::None, "Enter a value: ")),
      cli::Typing::Shown, terminal, cancellation);
  terminal.out.line("");
  if (answer) return *answer == "yes" ? Approval::Given : Approval::Refused;
  diags.error("Approval required")
      .detail(
          "The changes were not approved, so nothing was changed. Without a terminal, use "
          "-auto-approve or apply a saved plan.");
  return Approval::NoAnswer;
}

}  // namespace tofu::runs
