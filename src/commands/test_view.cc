#include "commands/test_view.h"

#include <cstdio>
#include <optional>
#include <utility>

#include "base/json_writer.h"
#include "base/overloaded.h"
#include "cli/environment.h"
#include "cli/report.h"
#include "cli/version_info.h"
#include "commands/context.h"
#include "diag/wrap.h"
#include "documents/config_json.h"
#include "documents/plan_json.h"
#include "documents/state_json.h"
#include "runs/run_providers.h"
#include "views/plan_text.h"
#include "views/state_decode.h"
#include "views/state_text.h"
#include "views/test_text.h"

namespace tofu::commands {

namespace {

// Whether a line can be written again and again.
bool has_live_terminal(Context& context) {
  const cli::Environment& environment = context.environment();
  const std::string_view terminal = environment.variable("TERM");
  return context.terminal.out_is_terminal && context.terminal.view.color && !terminal.empty() &&
         terminal != "dumb" && environment.variable("TF_IN_AUTOMATION").empty();
}

}  // namespace

TestView::TestView(const cli::JsonOptions& json, Context& context)
    : context_(context),
      for_people_(!json.json),
      messages_([this] { return cli::timestamp(context_.environment()); }, context.sources,
                [this](const plans::TestRunEnded& event) { return document(event); }) {}

TestView::~TestView() {
  show_progress({});
  tell_topics();
}

std::unique_ptr<TestView> TestView::open(const cli::JsonOptions& json, Context& context) {
  auto view = std::make_unique<TestView>(json, context);
  diag::Diagnostics diags;
  // As in OpenTofu, the file is emptied whatever else is wrong.
  if (!json.json_into.empty()) {
    view->file_ = cli::PrivateFile::open(json.json_into, diags);
    if (view->file_ != nullptr) view->streams_.push_back(&view->file_->out());
  }
  (void)json.check(diags);
  if (diags.has_errors()) {
    cli::print_diagnostics(diags, context.terminal);
    return nullptr;
  }
  if (json.json) view->streams_.push_back(&context.terminal.out);
  for (cli::Output* stream : view->streams_)
    cli::JsonLog(*stream, context.environment(), context.sources);
  return view;
}

void TestView::write(const std::string& messages) {
  for (cli::Output* stream : streams_) {
    stream->write(messages);
    stream->flush();  // a program that follows sees every message at once
  }
}

// Replaces the line that shows what goes on; an empty text takes it away.
void TestView::show_progress(const std::string& text) {
  if (text.empty() && !has_live_line_) return;
  context_.terminal.out.write("\r\x1b[K" + text);
  context_.terminal.out.flush();
  has_live_line_ = !text.empty();
}

void TestView::leave_out_repeated(diag::Diagnostics& diags) {
  diag::Diagnostics left;
  for (const diag::Diagnostic& each : diags.items()) {
    if (each.similar_if.empty()) {
      left.add(each);
    } else if (topics_.emplace(each.similar_if, each.subject).second) {
      left.add(each);
      of_topics_.add(each);
    }
  }
  diags = std::move(left);
}

// What people get of `diags` now.
void TestView::tell_problems(const diag::Diagnostics& diags) {
  diag::Diagnostics now;
  for (const diag::Diagnostic& each : diags.items()) {
    if (each.similar_if.empty()) now.add(each);
  }
  cli::print_diagnostics(now, context_.terminal);
}

void TestView::tell_topics() {
  if (for_people_) cli::print_diagnostics(of_topics_, context_.terminal);
  of_topics_ = {};
}

void TestView::on(const plans::TestEvent& event) {
  const std::lock_guard lock(mutex_);
  plans::TestEvent shown = event;
  if (auto* run = std::get_if<plans::TestRunEnded>(&shown)) leave_out_repeated(run->problems);
  if (auto* end = std::get_if<plans::TestCleanedUp>(&shown)) leave_out_repeated(end->problems);
  if (!streams_.empty()) write(messages_(shown));
  if (for_people_) tell_people(shown);
  record(shown);
}

void TestView::problems(diag::Diagnostics diags) {
  const std::lock_guard lock(mutex_);
  leave_out_repeated(diags);
  if (!streams_.empty()) write(messages_.problems(diags, {}));
  if (!for_people_) return;
  show_progress({});
  tell_problems(diags);
}

void TestView::message(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!streams_.empty()) write(messages_.message(text));
  if (!for_people_) return;
  show_progress({});
  context_.terminal.out.flush();
  context_.terminal.err.line(diag::wrap_text(text, context_.terminal.err_width));
  context_.terminal.err.flush();
}

void TestView::record(const plans::TestEvent& event) {
  if (const auto* file = std::get_if<plans::TestFileEnded>(&event)) {
    suites_.push_back({file->file});
  } else if (const auto* run = std::get_if<plans::TestRunEnded>(&event)) {
    suites_.back().cases.push_back({*run, cli::timestamp(context_.environment())});
  }
}

void TestView::tell_people(const plans::TestEvent& event) {
  const bool color = context_.terminal.view.color;
  if (const auto* progress = std::get_if<plans::TestProgress>(&event)) {
    if (!has_live_terminal(context_)) return;
    const auto width = static_cast<std::size_t>(context_.terminal.out_width);
    return show_progress(views::test_progress(*progress, width - 1));
  }
  show_progress({});
  std::visit(base::Overloaded{
                 [](const plans::TestsFound&) {},
                 [](const plans::TestProgress&) {},
                 [&](const plans::TestFileEnded& e) {
                   context_.terminal.out.write(views::test_line(e, color));
                 },
                 [&](const plans::TestRunEnded& e) { tell_run(e); },
                 [&](const plans::TestCleanedUp& e) { tell_left(e); },
                 [&](const plans::TestsBroken& e) {
                   context_.terminal.out.flush();
                   context_.terminal.err.write(views::broken_tests(e));
                   context_.terminal.err.flush();
                 },
                 [&](const plans::TestsEnded& e) {
                   tell_topics();
                   context_.terminal.out.line("\n" + views::test_summary(e, color));
                 },
             },
             event);
  context_.terminal.out.flush();
}

void TestView::tell_run(const plans::TestRunEnded& event) {
  const bool color = context_.terminal.view.color;
  context_.terminal.out.write(views::test_line(event, color));
  const auto out = [&](std::string_view piece) { context_.terminal.out.write(piece); };
  if (event.state != nullptr) {
    diag::Diagnostics ignored;  // a state that was just made can be read
    const auto records = views::state_records(*event.state, context_.providers, ignored);
    if (records) {
      views::write_state_text(*records, context_.providers, {.color = color}, out);
      context_.terminal.out.line("");
    }
  } else if (event.plan != nullptr) {
    views::write_plan_text(
        *event.plan, context_.providers,
        {.color = color, .in_automation = true, .width = context_.terminal.out_width}, out);
    context_.terminal.out.line("");
  }
  tell_problems(event.problems);
}

void TestView::tell_left(const plans::TestCleanedUp& event) {
  context_.terminal.out.flush();
  if (event.problems.has_errors()) {
    context_.terminal.err.line(
        diag::wrap_text("Cleanup is incomplete after " + event.place.to_string() + ".",
                        context_.terminal.err_width));
  }
  tell_problems(event.problems);
  context_.terminal.err.write(views::left_objects(event));
  context_.terminal.err.flush();
}

std::string TestView::document(const plans::TestRunEnded& event) const {
  std::string text;
  diag::Diagnostics ignored;
  if (event.state != nullptr) {
    const auto records = views::state_records(*event.state, context_.providers, ignored);
    if (!records) return {};
    base::JsonWriter json(text);
    documents::write_state_json(json, *records, context_.providers);
  } else if (event.plan != nullptr) {
    const std::string described = documents::config_json(*tree_, context_.providers);
    documents::write_plan_json(*event.plan, context_.providers,
                               {.version = cli::kTofuVersion, .configuration = described},
                               [&](std::string_view piece) { text += piece; });
  }
  return text;
}

}  // namespace tofu::commands
