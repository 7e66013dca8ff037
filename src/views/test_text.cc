#include "views/test_text.h"

#include <fmt/format.h>

#include "base/check.h"
#include "diag/wrap.h"

namespace tofu::views {

namespace {

using plans::TestStatus;

std::string_view color_of(TestStatus status) {
  switch (status) {
    case TestStatus::Pending:
    case TestStatus::Skip: return "\x1b[37m";
    case TestStatus::Pass: return "\x1b[32m";
    case TestStatus::Fail:
    case TestStatus::Error: return "\x1b[31m";
  }
  base::broken_promise("a status out of range");
}

std::string in_color(std::string_view text, TestStatus status, bool color) {
  return color ? fmt::format("{}{}\x1b[0m", color_of(status), text) : std::string(text);
}

std::string lines_of(const std::vector<plans::LeftObject>& objects) {
  std::string text;
  for (const plans::LeftObject& each : objects) {
    text += fmt::format("  - {}{}\n", diag::safe_for_terminal(each.address.to_string()),
                        each.deposed_key.empty() ? "" : fmt::format(" ({})", each.deposed_key));
  }
  return text;
}

}  // namespace

std::string test_line(const plans::TestFileEnded& event, bool color) {
  return fmt::format("{}... {}\n", diag::safe_for_terminal(event.file),
                     in_color(plans::verdict_of(event.status), event.status, color));
}

std::string test_line(const plans::TestRunEnded& event, bool color) {
  return fmt::format("  run {:?}... {}\n", event.place.run,
                     in_color(plans::verdict_of(event.status), event.status, color));
}

std::string test_summary(const plans::TestsEnded& event, bool color) {
  const plans::TestCounts& counts = event.counts;
  std::string text;
  if (event.status <= TestStatus::Skip) {
    text = "Executed 0 tests";
  } else {
    const bool is_good = event.status == TestStatus::Pass;
    text = fmt::format("{} {} passed, {} failed",
                       in_color(is_good ? "Success!" : "Failure!", event.status, color),
                       counts.passed, counts.failed + counts.errored);
  }
  if (counts.skipped != 0) text += fmt::format(", {} skipped", counts.skipped);
  return text + ".";
}

std::string broken_tests(const plans::TestsBroken& event) {
  std::string text;
  for (const auto& [run, objects] : event.states) {
    if (objects.empty()) continue;
    text += run.empty() ? "\nThese objects exist:\n"
                        : fmt::format("\nThese objects of the run {:?} exist:\n", run);
    text += lines_of(objects);
  }
  for (const auto& [run, objects] : event.created) {
    if (objects.empty()) continue;
    text += fmt::format("\nThese objects of the run {:?} were being made, and may exist:\n", run);
    for (const auto& address : objects) text += fmt::format("  - {}\n", address.to_string());
  }
  if (text.empty()) return {};
  return fmt::format("\nThe tests of {} were interrupted, and nothing was cleaned up.\n{}",
                     diag::safe_for_terminal(event.file), text);
}

std::string left_objects(const plans::TestCleanedUp& event) {
  if (event.left.empty()) return {};
  std::string text = fmt::format("\nThese objects are left of {}",
                                 diag::safe_for_terminal(event.place.to_string()));
  text += event.kept_in.empty()
              ? ", and must be destroyed manually:\n"
              : fmt::format(". Their state is in {}; they must be destroyed manually:\n",
                            diag::safe_for_terminal(event.kept_in));
  return text + lines_of(event.left);
}

std::string test_progress(const plans::TestProgress& event, std::size_t width) {
  const std::string_view step = event.step == plans::TestStep::CleanUp ? "cleaning up after " : "";
  std::string text = fmt::format("[{}/{}] {}{}", event.ended, event.total, step,
                                 diag::safe_for_terminal(event.place.to_string()));
  // Names are mostly ASCII; a line that is cut a little early does no harm.
  if (text.size() > width) text.resize(width);
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80) != 0) text.pop_back();
  return text;
}

}  // namespace tofu::views
