#include "cli/progress.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "cli/view_options.h"
#include "diag/wrap.h"

namespace tofu::cli {

Progress::Progress(Terminal& terminal) : terminal_(terminal) {
  terminal.show_problems = [this](const diag::Diagnostics& diags) { problems(diags); };
}

Progress::~Progress() { terminal_.show_problems = nullptr; }

std::unique_ptr<Progress> Progress::open(const JsonOptions& options, Terminal& terminal,
                                         const Environment& environment) {
  auto progress = std::make_unique<Progress>(terminal);
  if (options.json) {
    progress->for_people_ = false;
    progress->logs_.emplace_back(terminal.out, environment, terminal.sources);
  }
  diag::Diagnostics diags;
  if (options.check(diags) && !options.json_into.empty()) {
    progress->file_ = PrivateFile::open(options.json_into, diags);
    if (progress->file_ != nullptr)
      progress->logs_.emplace_back(progress->file_->out(), environment, terminal.sources);
  }
  if (!diags.has_errors()) return progress;
  progress->problems(diags);
  return nullptr;
}

void Progress::tell(std::string_view message) {
  for (JsonLog& log : logs_) log.info(message);
}

void Progress::clear_status() {
  if (!std::exchange(has_status_, false)) return;
  terminal_.out.write("\r\x1b[K");
}

void Progress::status(std::string_view text) {
  if (!for_people_ || !terminal_.out_is_terminal) return;
  const std::lock_guard lock(mutex_);
  clear_status();
  // A line that is longer than the terminal could not be taken back.
  const auto width = static_cast<std::size_t>(std::max(terminal_.out_width, 1));
  terminal_.out.write(diag::safe_for_terminal(text.substr(0, width - 1)));
  terminal_.out.flush();
  has_status_ = true;
}

void Progress::step(std::string_view text) {
  const std::lock_guard lock(mutex_);
  clear_status();
  if (for_people_) {
    terminal_.out.line(colored(terminal_.view, Color::None, diag::safe_for_terminal(text)));
    terminal_.out.flush();
  }
  tell(text);
}

void Progress::item(std::string_view for_people, std::string_view for_programs) {
  const std::lock_guard lock(mutex_);
  clear_status();
  if (for_people_) {
    terminal_.out.line(fmt::format("- {}", for_people));
    terminal_.out.flush();
  }
  tell(for_programs);
}

void Progress::warned_item(std::string_view text) {
  const std::lock_guard lock(mutex_);
  clear_status();
  if (for_people_) terminal_.out.line(fmt::format("- {}", diag::safe_for_terminal(text)));
  for (JsonLog& log : logs_) log.warning(text);
}

void Progress::line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  clear_status();
  if (for_people_) {
    terminal_.out.line(text);
    terminal_.out.flush();
  }
  tell(text);
}

void Progress::note(std::string_view text) {
  const std::lock_guard lock(mutex_);
  clear_status();
  if (for_people_) {
    terminal_.out.line(diag::wrap_text(diag::safe_for_terminal(text), terminal_.out_width));
  }
  tell(text);
  flush();
}

void Progress::typed_line(std::string_view for_people, std::string_view for_programs,
                          const std::function<void(base::JsonWriter&)>& more) {
  const std::lock_guard lock(mutex_);
  if (for_people_) terminal_.out.line(for_people);
  for (JsonLog& log : logs_) log.typed(for_programs, more);
}

void Progress::success(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (for_people_) {
    terminal_.out.line(colored(terminal_.view, Color::Green, diag::safe_for_terminal(text)));
  }
  tell(text);
}

void Progress::blank_line() {
  const std::lock_guard lock(mutex_);
  clear_status();
  if (for_people_) terminal_.out.line("");
}

void Progress::failure(std::string_view text) {
  const std::lock_guard lock(mutex_);
  clear_status();
  if (for_people_) {
    terminal_.out.flush();
    terminal_.err.line("\n" + diag::wrap_text(diag::safe_for_terminal(text), terminal_.err_width));
  }
  for (JsonLog& log : logs_) log.error(text);
}

void Progress::problems(const diag::Diagnostics& diags) {
  const std::lock_guard lock(mutex_);
  clear_status();
  if (for_people_) print_diagnostics(diags, terminal_);
  for (JsonLog& log : logs_) log.diagnostics(diags);
  flush();
}

void Progress::flush() {
  terminal_.out.flush();
  if (file_ != nullptr) file_->out().flush();
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1000 && unit + 1 < kUnits.size()) {
    amount /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes")
                   : fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

int run_with_progress(const JsonOptions& options, Terminal& terminal,
                      const Environment& environment,
                      const std::function<void(Progress&, diag::Diagnostics&)>& work) {
  const auto progress = Progress::open(options, terminal, environment);
  if (progress == nullptr) return kExitError;
  diag::Diagnostics diags;
  work(*progress, diags);
  progress->problems(diags);
  return diags.has_errors() ? kExitError : kExitOk;
}

}  // namespace tofu::cli
