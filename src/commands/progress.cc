#include "commands/progress.h"

#include <fmt/format.h>
#include <string>

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

void Progress::step(std::string_view text) {
  if (for_people_) {
    world_.out.line(colored(world_.view, Color::None, text));
    world_.out.flush();
  }
  tell(text);
}

void Progress::item(std::string_view for_people, std::string_view for_programs) {
  const std::lock_guard lock(mutex_);
  if (for_people_) {
    world_.out.line(fmt::format("- {}", for_people));
    world_.out.flush();
  }
  tell(for_programs);
}

void Progress::warned_item(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (for_people_) world_.out.line(fmt::format("- {}", text));
  for (JsonLog& log : logs_) log.warning(text);
}

void Progress::line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (for_people_) {
    world_.out.line(text);
    world_.out.flush();
  }
  tell(text);
}

void Progress::note(std::string_view text) {
  if (for_people_) world_.out.line(diag::wrap_text(text, world_.environment.stdout_width));
  tell(text);
}

void Progress::typed_line(std::string_view text,
                          const std::function<void(base::JsonWriter&)>& more) {
  if (for_people_) world_.out.line(text);
  for (JsonLog& log : logs_) log.typed(text, more);
}

void Progress::success(std::string_view text) {
  if (for_people_) world_.out.line(colored(world_.view, Color::Green, text));
  tell(text);
}

void Progress::blank_line() {
  if (for_people_) world_.out.line("");
}

void Progress::failure(std::string_view text) {
  if (for_people_) {
    world_.out.flush();
    world_.err.line("\n" + diag::wrap_text(text, world_.environment.stderr_width));
  }
  for (JsonLog& log : logs_) log.error(text);
}

void Progress::problems(const diag::Diagnostics& diags) {
  if (for_people_) print_diagnostics(diags, world_);
  for (JsonLog& log : logs_) log.diagnostics(diags);
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
