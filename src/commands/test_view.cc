#include "commands/test_view.h"

#include <cstdio>
#include <optional>
#include <utility>

#include "base/json_writer.h"
#include "base/overloaded.h"
#include "commands/run_providers.h"
#include "commands/version_info.h"
#include "diag/wrap.h"
#include "views/config_json.h"
#include "views/plan_json.h"
#include "views/plan_text.h"
#include "views/state_decode.h"
#include "views/state_json.h"
#include "views/state_text.h"
#include "views/test_text.h"

namespace tofu::commands {

namespace {

// Whether a line can be written again and again.
bool has_live_terminal(const World& world) {
  const Environment& environment = world.environment;
  const std::string_view terminal = environment.variable("TERM");
  return environment.stdout_is_terminal && world.view.color && !terminal.empty() &&
         terminal != "dumb" && environment.variable("TF_IN_AUTOMATION").empty();
}

}  // namespace

TestView::TestView(const JsonOptions& json, World& world)
    : world_(world),
      for_people_(!json.json),
      messages_([this] { return timestamp(world_.environment); }, world.sources,
                [this](const plans::TestRunEnded& event) { return document(event); }) {}

TestView::~TestView() { show_progress({}); }

std::unique_ptr<TestView> TestView::open(const JsonOptions& json, World& world) {
  auto view = std::make_unique<TestView>(json, world);
  diag::Diagnostics diags;
  // As in OpenTofu, the file is emptied whatever else is wrong.
  if (!json.json_into.empty()) {
    view->file_ = PrivateFile::open(json.json_into, diags);
    if (view->file_ != nullptr) view->streams_.push_back(&view->file_->out());
  }
  (void)json.check(diags);
  if (diags.has_errors()) {
    print_diagnostics(diags, world);
    return nullptr;
  }
  if (json.json) view->streams_.push_back(&world.out);
  for (Output* stream : view->streams_) JsonLog(*stream, world);
  return view;
}

void TestView::write(const std::string& messages) {
  for (Output* stream : streams_) {
    stream->write(messages);
    stream->flush();  // whoever follows sees every message at once
  }
}

// Replaces the line that shows what goes on; an empty text takes it away.
void TestView::show_progress(const std::string& text) {
  if (text.empty() && !has_live_line_) return;
  world_.out.write("\r\x1b[K" + text);
  world_.out.flush();
  has_live_line_ = !text.empty();
}

void TestView::on(const plans::TestEvent& event) {
  const std::lock_guard lock(mutex_);
  if (!streams_.empty()) write(messages_(event));
  if (for_people_) tell_people(event);
  record(event);
}

void TestView::problems(const diag::Diagnostics& diags) {
  const std::lock_guard lock(mutex_);
  if (!streams_.empty()) write(messages_.problems(diags, {}));
  if (!for_people_) return;
  show_progress({});
  print_diagnostics(diags, world_);
}

void TestView::message(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!streams_.empty()) write(messages_.message(text));
  if (!for_people_) return;
  show_progress({});
  world_.out.flush();
  world_.err.line(diag::wrap_text(text, world_.environment.stderr_width));
  world_.err.flush();
}

void TestView::record(const plans::TestEvent& event) {
  if (const auto* file = std::get_if<plans::TestFileEnded>(&event)) {
    suites_.push_back({file->file});
  } else if (const auto* run = std::get_if<plans::TestRunEnded>(&event)) {
    suites_.back().cases.push_back({*run, timestamp(world_.environment)});
  }
}

void TestView::tell_people(const plans::TestEvent& event) {
  const bool color = world_.view.color;
  if (const auto* progress = std::get_if<plans::TestProgress>(&event)) {
    if (!has_live_terminal(world_)) return;
    const auto width = static_cast<std::size_t>(world_.environment.stdout_width);
    return show_progress(views::test_progress(*progress, width - 1));
  }
  show_progress({});
  std::visit(
      base::Overloaded{
          [](const plans::TestsFound&) {},
          [](const plans::TestProgress&) {},
          [&](const plans::TestFileEnded& e) { world_.out.write(views::test_line(e, color)); },
          [&](const plans::TestRunEnded& e) { tell_run(e); },
          [&](const plans::TestCleanedUp& e) { tell_left(e); },
          [&](const plans::TestsBroken& e) {
            world_.out.flush();
            world_.err.write(views::broken_tests(e));
            world_.err.flush();
          },
          [&](const plans::TestsEnded& e) {
            world_.out.line("\n" + views::test_summary(e, color));
          },
      },
      event);
  world_.out.flush();
}

void TestView::tell_run(const plans::TestRunEnded& event) {
  const bool color = world_.view.color;
  world_.out.write(views::test_line(event, color));
  const auto out = [&](std::string_view piece) { world_.out.write(piece); };
  if (event.state != nullptr) {
    diag::Diagnostics ignored;  // a state that was just made can be read
    const auto records = views::state_records(*event.state, run_providers(world_), ignored);
    if (records) {
      views::write_state_text(*records, run_providers(world_), {.color = color}, out);
      world_.out.line("");
    }
  } else if (event.plan != nullptr) {
    views::write_plan_text(
        *event.plan, run_providers(world_),
        {.color = color, .in_automation = true, .width = world_.environment.stdout_width}, out);
    world_.out.line("");
  }
  print_diagnostics(event.problems, world_);
}

void TestView::tell_left(const plans::TestCleanedUp& event) {
  world_.out.flush();
  if (event.problems.has_errors()) {
    world_.err.line(
        diag::wrap_text("Not everything could be cleaned up after " + event.place.to_string() + ".",
                        world_.environment.stderr_width));
  }
  print_diagnostics(event.problems, world_);
  world_.err.write(views::left_objects(event));
  world_.err.flush();
}

std::string TestView::document(const plans::TestRunEnded& event) const {
  std::string text;
  diag::Diagnostics ignored;
  if (event.state != nullptr) {
    const auto records = views::state_records(*event.state, run_providers(world_), ignored);
    if (!records) return {};
    base::JsonWriter json(text);
    views::write_state_json(json, *records, run_providers(world_));
  } else if (event.plan != nullptr) {
    const std::string described = views::config_json(*tree_, run_providers(world_));
    views::write_plan_json(*event.plan, run_providers(world_),
                           {.version = kTofuVersion, .configuration = described},
                           [&](std::string_view piece) { text += piece; });
  }
  return text;
}

}  // namespace tofu::commands
