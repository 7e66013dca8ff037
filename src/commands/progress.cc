#include "commands/progress.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "diag/wrap.h"

namespace tofu::commands {

std::unique_ptr<Progress> Progress::open(const JsonOptions& options, World& world) {
  auto progress = std::make_unique<Progress>(world);
  if (options.json) {
    progress->for_people_ = false;
    progress->logs_.emplace_back(world.out, world);
  }
  diag::Diagnostics diags;
  if (options.check(diags) && !options.json_into.empty()) {
    progress->file_ = PrivateFile::open(options.json_into, diags);
    if (progress->file_ != nullptr) progress->logs_.emplace_back(progress->file_->out(), world);
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
  world_.out.write("\r\x1b[K");
}

void Progress::status(std::string_view text) {
  if (!for_people_ || !world_.environment.stdout_is_terminal) return;
  const std::lock_guard lock(mutex_);
  clear_status();
  // A line that is longer than the terminal could not be taken back.
  const auto width = static_cast<std::size_t>(std::max(world_.environment.stdout_width, 1));
  world_.out.write(text.substr(0, width - 1));
  world_.out.flush();
  has_status_ = true;
}

void Progress::step(std::string_view text) {
  clear_status();
  if (for_people_) {
    world_.out.line(colored(world_.view, Color::None, text));
    world_.out.flush();
  }
  tell(text);
}

void Progress::item(std::string_view for_people, std::string_view for_programs) {
  const std::lock_guard lock(mutex_);
  clear_status();
  if (for_people_) {
    world_.out.line(fmt::format("- {}", for_people));
    world_.out.flush();
  }
  tell(for_programs);
}

void Progress::warned_item(std::string_view text) {
  const std::lock_guard lock(mutex_);
  clear_status();
  if (for_people_) world_.out.line(fmt::format("- {}", text));
  for (JsonLog& log : logs_) log.warning(text);
}

void Progress::line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  clear_status();
  if (for_people_) {
    world_.out.line(text);
    world_.out.flush();
  }
  tell(text);
}

void Progress::note(std::string_view text) {
  clear_status();
  if (for_people_) world_.out.line(diag::wrap_text(text, world_.environment.stdout_width));
  tell(text);
}

void Progress::typed_line(std::string_view for_people, std::string_view for_programs,
                          const std::function<void(base::JsonWriter&)>& more) {
  if (for_people_) world_.out.line(for_people);
  for (JsonLog& log : logs_) log.typed(for_programs, more);
}

void Progress::success(std::string_view text) {
  if (for_people_) world_.out.line(colored(world_.view, Color::Green, text));
  tell(text);
}

void Progress::blank_line() {
  clear_status();
  if (for_people_) world_.out.line("");
}

void Progress::failure(std::string_view text) {
  clear_status();
  if (for_people_) {
    world_.out.flush();
    world_.err.line("\n" + diag::wrap_text(text, world_.environment.stderr_width));
  }
  for (JsonLog& log : logs_) log.error(text);
}

void Progress::problems(const diag::Diagnostics& diags) {
  clear_status();
  if (for_people_) print_diagnostics(diags, world_);
  for (JsonLog& log : logs_) log.diagnostics(diags);
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

int run_with_progress(const JsonOptions& options, World& world,
                      const std::function<void(Progress&, diag::Diagnostics&)>& work) {
  const auto progress = Progress::open(options, world);
  if (progress == nullptr) return kExitError;
  diag::Diagnostics diags;
  work(*progress, diags);
  progress->problems(diags);
  return diags.has_errors() ? kExitError : kExitOk;
}

}  // namespace tofu::commands
