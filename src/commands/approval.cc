#include "commands/approval.h"

#include <fmt/format.h>

#include "base/check.h"

namespace tofu::commands {

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
              "OpenTofu will do what is described above."};
    case plans::Mode::Destroy:
      return {fmt::format("Do you really want to destroy all resources{}?", where),
              "OpenTofu will destroy everything that is shown above. It cannot be undone."};
    case plans::Mode::RefreshOnly:
      return {fmt::format("Do you want to record these changes in the state{}?", where),
              "Nothing but the state will be changed. It cannot be undone."};
  }
  base::broken_promise("a mode out of range");
}

}  // namespace

Approval ask_for_approval(plans::Mode mode, const std::string& workspace, World& world,
                          diag::Diagnostics& diags) {
  const Question question = question_for(mode, workspace);
  world.out.write(fmt::format("\n{}\n  {}\n  Only 'yes' will be accepted to approve.\n\n  {}",
                              colored(world.view, Color::None, question.ask), question.explain,
                              colored(world.view, Color::None, "Enter a value: ")));
  world.out.flush();
  const auto answer = world.in.read_line(world.interrupts.token());
  world.out.line("\n");
  if (answer && *answer) return **answer == "yes" ? Approval::Given : Approval::Refused;
  diags.error("No approval")
      .detail(
          "Nobody answered, so nothing was changed. Use -auto-approve where there is nobody to "
          "ask.");
  return Approval::NoAnswer;
}

}  // namespace tofu::commands
