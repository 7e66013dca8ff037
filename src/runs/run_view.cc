#include "runs/run_view.h"

#include <string>
#include <utility>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "diag/wrap.h"
#include "documents/json_ui.h"
#include "views/apply_progress.h"
#include "views/plan_text.h"

namespace tofu::runs {

RunView::RunView(cli::Terminal& terminal, const cli::Environment& environment,
                 const RunFlags& flags)
    : terminal_(terminal),
      environment_(environment),
      for_people_(!flags.json.json),
      show_sensitive_(flags.show_sensitive) {
  terminal.show_problems = [this](const diag::Diagnostics& diags) { problems(diags); };
}

RunView::~RunView() { terminal_.show_problems = nullptr; }

std::unique_ptr<RunView> RunView::open(const RunFlags& flags, cli::Terminal& terminal,
                                       const cli::Environment& environment) {
  auto view = std::make_unique<RunView>(terminal, environment, flags);
  diag::Diagnostics diags;
  if (!flags.json.check(diags)) {
    cli::print_diagnostics(diags, terminal);
    return nullptr;
  }
  if (!flags.json.json_into.empty()) {
    view->file_ = cli::PrivateFile::open(flags.json.json_into, diags);
    if (view->file_ == nullptr) {
      cli::print_diagnostics(diags, terminal);
      return nullptr;
    }
    view->streams_.push_back(&view->file_->out());
  }
  if (flags.json.json) view->streams_.push_back(&terminal.out);
  for (cli::Output* stream : view->streams_) cli::JsonLog(*stream, environment, terminal.sources);
  return view;
}

namespace {

constexpr std::size_t kMaxUnwritten = std::size_t{1} << 20;

// What people want to read later, though a block shows the rest.
bool stays(const plans::Event& event) {
  return std::holds_alternative<plans::ProvisionOutput>(event) ||
         std::holds_alternative<plans::Message>(event);
}

}  // namespace

void RunView::on(const plans::Event& event) {
  Lines said;
  if (!streams_.empty()) {
    said.for_programs =
        documents::json_ui_text(event, cli::timestamp(environment_), terminal_.sources);
  }
  if (for_people_) {
    said.for_people = views::progress_text(event, {.color = terminal_.view.color,
                                                   .concise = terminal_.view.concise,
                                                   .show_sensitive = show_sensitive_});
  }
  std::unique_lock lock(mutex_);
  if (const auto* ended = std::get_if<plans::ApplyComplete>(&event)) done_.count(ended->action);
  if (block_ != nullptr) {
    block_->on(event, stays(event) ? said.for_people : std::string_view());
    said.for_people.clear();
  }
  // Who reads slowly must not make this process grow.
  written_.wait(lock, [&] { return !is_writing_ || lines_.size() < kMaxUnwritten; });
  lines_.for_people += said.for_people;
  lines_.for_programs += said.for_programs;
  write_lines(lock);
}

void RunView::write_lines(std::unique_lock<std::mutex>& lock) {
  if (is_writing_) return;
  is_writing_ = true;
  while (lines_.size() != 0) {
    const Lines now = std::exchange(lines_, {});
    lock.unlock();
    // At once, for readers that follow the output.
    for (cli::Output* stream : streams_) {
      stream->write(now.for_programs);
      stream->flush();
    }
    if (!now.for_people.empty()) {
      terminal_.out.write(now.for_people);
      terminal_.out.flush();
    }
    lock.lock();
  }
  is_writing_ = false;
  written_.notify_all();
}

std::unique_lock<std::mutex> RunView::lock_when_written() {
  std::unique_lock lock(mutex_);
  written_.wait(lock, [&] { return !is_writing_; });
  return lock;
}

RunView::Live::Live(RunView& view, const plans::Plan& plan) : view_(view) {
  const cli::Terminal& terminal = view.terminal_;
  const cli::Environment& environment = view.environment_;
  const std::string_view kind = environment.variable("TERM");
  const std::size_t total = views::action_count(plan);
  if (!view.for_people_ || !terminal.out_is_terminal || !terminal.view.color ||
      terminal.view.concise || kind.empty() || kind == "dumb" ||
      !environment.variable("TF_IN_AUTOMATION").empty() || total == 0) {
    return;
  }
  const auto lock = view.lock_when_written();
  view.block_ = std::make_unique<LiveBlock>(view.terminal_.out, total);
}

RunView::Live::~Live() {
  const auto lock = view_.lock_when_written();
  view_.block_.reset();
}

void RunView::plan(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
                   bool in_automation, const std::function<void()>& meanwhile) {
  const auto lock = lock_when_written();
  if (!streams_.empty()) {
    for (const plans::Event& event : plans::events_of(plan)) {
      const std::string text =
          documents::json_ui_text(event, cli::timestamp(environment_), terminal_.sources);
      for (cli::Output* stream : streams_) stream->write(text);
    }
    for (cli::Output* stream : streams_) stream->flush();
  }
  if (!for_people_) {
    if (meanwhile) meanwhile();
    return;
  }
  views::write_plan_text(
      plan, schemas,
      {.color = terminal_.view.color,
       .show_sensitive = show_sensitive_,
       .in_automation = in_automation,
       .width = terminal_.out_width},
      [&](std::string_view piece) { terminal_.out.write(piece); }, meanwhile);
  terminal_.out.flush();
}

void RunView::saved_plan(const plans::Plan& plan) {
  if (streams_.empty()) return;
  const auto lock = lock_when_written();
  for (const plans::Event& event : plans::events_of(plan)) {
    const auto* change = std::get_if<plans::ChangePlanned>(&event);
    if (change == nullptr || change->change.action == plans::Action::NoOp) continue;
    const std::string text =
        documents::json_ui_text(event, cli::timestamp(environment_), terminal_.sources);
    for (cli::Output* stream : streams_) stream->write(text);
  }
}

void RunView::problems(const diag::Diagnostics& diags) {
  const auto lock = lock_when_written();
  if (for_people_) cli::print_diagnostics(diags, terminal_);
  for (const diag::Diagnostic& diagnostic : diags.items()) {
    const std::string text = documents::json_ui_text(
        plans::DiagnosticFound{diagnostic}, cli::timestamp(environment_), terminal_.sources);
    for (cli::Output* stream : streams_) stream->write(text);
  }
  for (cli::Output* stream : streams_) stream->flush();
}

void RunView::rule() {
  if (!for_people_) return;
  std::string line;
  for (int i = 0; i < terminal_.out_width; ++i) line += "─";
  terminal_.out.line("\n" + (terminal_.view.color ? "\x1b[90m" + line + "\x1b[0m" : line));
}

void RunView::note(std::string_view text) {
  if (!for_people_) return;
  terminal_.out.line("\n" + diag::wrap_text(text, terminal_.out_width));
}

void RunView::next_round() {
  {
    const auto lock = lock_when_written();
    done_ = {};
  }
  message("Planning deferred resources...");
}

void RunView::message(std::string_view text) { on(plans::Message{std::string(text)}); }

void RunView::summary(plans::Operation operation, const plans::Plan& plan) {
  plans::ChangeSummary summary{operation, done_};
  // These two happen without a provider, so that no event tells of them.
  for (const plans::ResourceChange& change : plan.changes) {
    if (change.importing() != nullptr) ++summary.counts.import;
    if (change.action == plans::Action::Forget) ++summary.counts.forget;
  }
  on(summary);
}

void RunView::outputs(const state::State& state) {
  plans::OutputsSaved saved;
  for (const auto& [name, output] : state.outputs) {
    saved.outputs.push_back({name, output.value, output.sensitive, output.deprecated});
  }
  on(saved);
}

}  // namespace tofu::runs
