#include "tests/simulation/world.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <utility>
#include <vector>

#include "backends/kinds.h"
#include "backends/local.h"
#include "base/check.h"
#include "cli/cancellation.h"
#include "cli/environment.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "engine/plan.h"
#include "runs/run_state.h"
#include "state/journal.h"
#include "state/recovery.h"
#include "state/state_file.h"
#include "tests/simulation/cloud.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/knowledge.h"
#include "tests/simulation/network.h"
#include "tests/simulation/program.h"
#include "workdir/journal_recovery.h"

namespace tofu::simulation {

namespace {

using value::Value;

constexpr std::string_view kStateFile = "terraform.tfstate";
constexpr std::string_view kSecret = "S3CRET";

class Sources final : public providers::ProviderSource {
 public:
  explicit Sources(std::function<std::unique_ptr<providers::Provider>()> make)
      : make_(std::move(make)) {}
  std::unique_ptr<providers::Provider> open(const addrs::Provider&, diag::Diagnostics&) override {
    return make_();
  }

 private:
  const std::function<std::unique_ptr<providers::Provider>()> make_;
};

class NoEvents final : public plans::EventSink {
 public:
  void on(const plans::Event&) override {}
};

// One for all commands: it watches the signals of this program.
cli::Cancellation& signals() {
  static cli::Cancellation cancellation;
  static const auto listening = cancellation.listen();
  return cancellation;
}

// The names of things that a text says to import if they exist. It may be broken into lines
// anywhere between words.
std::set<std::string> reported_in(std::string text) {
  constexpr std::string_view kImport = "tofu import 'sim_thing.";
  std::ranges::replace(text, '\n', ' ');
  std::set<std::string> names;
  for (std::size_t at = 0; (at = text.find(kImport, at)) != std::string::npos;) {
    at += kImport.size();
    names.insert(text.substr(at, text.find('\'', at) - at));
  }
  return names;
}
std::string address_of(const std::string& name) { return "sim_thing." + name; }

// A command that runs in the world.
struct Command {
  Process process;
  Config config = {};
  std::optional<std::size_t> seen = {};  // how much of what it printed came before its death
  std::set<std::string> prior = {};      // IDs of the objects that its plan began with
  std::set<std::string> destroys = {};   // IDs of the objects that its plan destroys
  std::set<std::string> updates = {};
  std::stop_source stop = {};
};

class Simulation final : public Fates, public CallWatch, public RequestWatch {
 public:
  Simulation(const History& history, Tally& tally, std::string* log)
      : history_(history), tally_(tally), log_(log) {}

  std::optional<std::string> play();

  Verdict meet(Process& process, Moment moment) override;
  CallFate on_call(Process& process) override;
  bool on_create(Process& process, const std::string& name) override;
  base::Result<void> provision(Command& command, const provisioners::ProvisionerRun& provisioner);
  void on_destroy(Process& process, const std::string& id) override;
  void on_update(Process& process, const std::string& id) override;
  bool comes_late(Process&) override { return random_.one_in(2); }
  RequestFate on_request(Process& process) override;
  void on_stored(Process& process, const std::string& state) override;

 private:
  void play(const Step& step);
  void meddle();
  // Runs a command to its end, or to its death. True if it succeeded.
  bool run(const Step& step);
  bool run_in(Command& command, const Step& step);
  bool apply(Command& command, const Step& step, ProcessDisk& disk, Loop& loop,
             cli::Terminal& terminal);
  std::unique_ptr<backends::Backend> backend(Command& command, ProcessDisk& disk,
                                             diag::Diagnostics& diags);
  void learn_plan(Command& command, const engine::Planned& planned);
  engine::RunInputs inputs(Command& command, const Step& step, Loop& loop, Sources& sources,
                           bool is_applying);

  void kill(Command& command);
  void lose_power();
  void intrude(const Incident& incident);
  // What a person does after a command: looks at what was reported.
  void look_after(const Command& command);
  void keep_printed_state(std::string& printed);
  void push_errored();
  void decide_about_journals();

  void fail(std::string what) {
    if (violation_) return;
    violation_ = std::move(what);
    if (log_ != nullptr) *log_ += fmt::format("---- {}\n{}", *violation_, describe_files(disk_));
  }
  bool is_reported(const Command& command, const std::string& name) const;
  void check_known();
  void check_half_made();
  void check_as_configured(const Step& step);
  void check_outputs(const Config& config);
  std::string_view stored_state() const {
    if (!history_.is_remote) return disk_.content(kStateFile);
    return network_.state ? std::string_view(*network_.state) : std::string_view();
  }
  void check_stored(const Process& process, std::string_view state);
  Command& command_of(const Process& process) { return *commands_.at(process.number); }
  bool counts(const Process& process) const {
    return step_ != nullptr && depth_ == 1 && process.is_alive;
  }
  // The incidents of a kind that are due, given how often it could have come.
  const Incident* due(IncidentKind kind, unsigned count);

  const History& history_;
  Tally& tally_;
  std::string* log_;
  std::optional<std::string> violation_;
  Random random_{0};

  SimulatedDisk disk_;
  Network network_;
  Cloud cloud_;
  std::chrono::milliseconds clock_{0};
  std::int64_t last_process_ = 1000;
  std::map<std::int64_t, bool> running_;
  std::map<std::int64_t, Command*> commands_;  // that run now
  std::set<std::string> reported_;             // names of things whose creation was reported
  Command* holder_ = nullptr;                  // of the lock
  std::string last_stored_;
  std::int64_t last_storer_ = 0;
  std::optional<std::uint64_t> last_serial_;
  std::string lineage_;
  std::uint64_t acknowledged_ = 0;  // a serial that cannot be lost any more

  // Of this step.
  const Step* step_ = nullptr;  // null: no incidents
  int depth_ = 0;               // commands inside of each other
  bool had_errors_ = false;     // of the disk or the network
  unsigned moments_ = 0;
  unsigned moments_of_intruder_ = 0;  // that are left until it is killed; 0: it lives
  unsigned disk_operations_ = 0;
  unsigned writes_ = 0;
  unsigned syncs_ = 0;
  unsigned calls_ = 0;
  unsigned provisioners_ = 0;
  unsigned requests_ = 0;
  std::uint64_t all_calls_ = 0;  // of all commands
};

const Incident* Simulation::due(IncidentKind kind, unsigned count) {
  for (const Incident& incident : step_->incidents) {
    if (incident.kind != kind) continue;
    const unsigned length = kind == IncidentKind::DiskFull ? incident.length : 0;
    if (count >= incident.at && count <= incident.at + length) {
      ++tally_.incidents;
      return &incident;
    }
  }
  return nullptr;
}

Verdict Simulation::meet(Process& process, Moment moment) {
  if (depth_ == 2 && moments_of_intruder_ != 0 && --moments_of_intruder_ == 0) {
    kill(command_of(process));
  }
  if (!counts(process)) return {};
  const unsigned now = moments_++;
  if (const Incident* incident = due(IncidentKind::Intruder, now)) intrude(*incident);
  if (due(IncidentKind::Stop, now) != nullptr) command_of(process).stop.request_stop();
  if (due(IncidentKind::Kill, now) != nullptr) kill(command_of(process));
  if (due(IncidentKind::PowerLoss, now) != nullptr) lose_power();
  if (moment == Moment::Request || moment == Moment::Call || moment == Moment::Turn) return {};
  Verdict verdict;
  if (due(IncidentKind::DiskError, disk_operations_++) != nullptr) verdict.error = EIO;
  if (moment == Moment::Write) {
    const unsigned write = writes_++;
    if (due(IncidentKind::ShortWrite, write) != nullptr) verdict.is_partly = true;
    if (due(IncidentKind::DiskFull, write) != nullptr) verdict.error = ENOSPC;
  }
  if (moment == Moment::Sync || moment == Moment::SyncDirectory) {
    if (due(IncidentKind::SyncError, syncs_++) != nullptr) verdict.error = EIO;
  }
  had_errors_ = had_errors_ || verdict.error != 0;
  return verdict;
}

CallFate Simulation::on_call(Process& process) {
  ++all_calls_;
  (void)meet(process, Moment::Call);
  if (!counts(process)) return CallFate::Well;
  const unsigned call = calls_++;
  for (const auto& [kind, fate] :
       {std::pair(IncidentKind::CallFailsBefore, CallFate::FailsBefore),
        std::pair(IncidentKind::CallFailsAfter, CallFate::FailsAfter),
        std::pair(IncidentKind::CallCrashesBefore, CallFate::CrashesBefore),
        std::pair(IncidentKind::CallCrashesAfter, CallFate::CrashesAfter),
        std::pair(IncidentKind::CallStaysUnknown, CallFate::StaysUnknown),
        std::pair(IncidentKind::CallIsSlow, CallFate::IsSlow)}) {
    if (due(kind, call) != nullptr) return fate;
  }
  return CallFate::Well;
}

RequestFate Simulation::on_request(Process& process) {
  (void)meet(process, Moment::Request);
  if (!counts(process)) return RequestFate::Well;
  const unsigned request = requests_++;
  for (const auto& [kind, fate] : {std::pair(IncidentKind::RequestLost, RequestFate::Lost),
                                   std::pair(IncidentKind::AnswerLost, RequestFate::AnswerLost),
                                   std::pair(IncidentKind::RequestTwice, RequestFate::Twice),
                                   std::pair(IncidentKind::RequestRefused, RequestFate::Refused)}) {
    if (due(kind, request) == nullptr) continue;
    had_errors_ = true;
    return fate;
  }
  return RequestFate::Well;
}

bool Simulation::on_create(Process& process, const std::string& name) {
  ++tally_.objects;
  Command& command = command_of(process);
  for (const auto& [id, thing] : cloud_.things) {
    if (thing.name != name || command.prior.contains(id) || is_reported(command, name)) continue;
    fail(fmt::format("{} was created although {} exists, which was forgotten", name, id));
  }
  return command.config[static_cast<std::size_t>(name[1] - '0')].is_provisioned;
}

// The program of a provisioner: the thing that it names is whole after it.
base::Result<void> Simulation::provision(Command& command,
                                         const provisioners::ProvisionerRun& provisioner) {
  (void)meet(command.process, Moment::Call);
  if (counts(command.process) && due(IncidentKind::ProvisionerFails, provisioners_++) != nullptr) {
    return base::Error{"exit status 1"};
  }
  if (!command.process.is_alive) return base::Error{"it was killed"};
  const auto found = cloud_.things.find(simulation::text_of(provisioner.config, "command"));
  if (found != cloud_.things.end()) found->second.is_half_made = false;
  return {};
}

// That its creation was in progress, also by this command itself.
bool Simulation::is_reported(const Command& command, const std::string& name) const {
  return reported_.contains(name) || reported_in(command.process.printed).contains(name);
}

void Simulation::on_destroy(Process& process, const std::string& id) {
  if (command_of(process).destroys.contains(id)) return;
  fail(fmt::format("{} was destroyed, and the plan did not say so", id));
}

void Simulation::on_update(Process& process, const std::string& id) {
  if (command_of(process).updates.contains(id)) return;
  fail(fmt::format("{} was changed, and the plan did not say so", id));
}

void Simulation::on_stored(Process& process, const std::string& state) {
  check_stored(process, state);
}

// A state becomes visible to others.
void Simulation::check_stored(const Process& process, std::string_view state) {
  const StateHead head = head_of(state);
  if (!lineage_.empty() && head.lineage != lineage_) {
    fail(fmt::format("the lineage {} was replaced by {}", lineage_, head.lineage));
  }
  // After an error it is not known whether the state was stored: the same serial may be used again.
  const bool is_again =
      last_serial_ && head.serial == *last_serial_ && had_errors_ && last_storer_ == process.number;
  last_storer_ = process.number;
  if (last_serial_ && head.serial <= *last_serial_ && state != last_stored_ && !is_again) {
    fail(fmt::format("the serial {} is stored after {}", head.serial, *last_serial_));
  }
  if (holder_ != nullptr && holder_->process.is_alive &&
      holder_->process.number != process.number) {
    fail("a state was stored by a process that does not hold the lock");
  }
  lineage_ = head.lineage;
  last_serial_ = head.serial;
  last_stored_ = state;
}

void Simulation::kill(Command& command) {
  if (!command.process.is_alive) return;
  command.process.is_alive = false;
  running_[command.process.number] = false;
  command.seen = command.process.printed.size();
  if (holder_ == &command) holder_ = nullptr;
}

void Simulation::lose_power() {
  for (const auto& [number, command] : commands_) kill(*command);
  disk_.lose_power(random_);
  if (history_.is_remote) return;
  const StateHead head = head_of(stored_state());
  if (head.serial < acknowledged_) {
    fail(fmt::format("the state was stored with serial {} and has {} after a power loss",
                     acknowledged_, head.serial));
  }
  last_stored_ = stored_state();
  last_serial_ = last_stored_.empty() ? std::nullopt : std::optional(head.serial);
  lineage_ = head.lineage;
}

// Another process runs, while this one stands still.
void Simulation::intrude(const Incident& incident) {
  Step step = *step_;
  step.seed += 1;
  step.incidents.clear();
  const Step* const mine = std::exchange(step_, nullptr);
  moments_of_intruder_ = incident.length;
  (void)run(step);
  moments_of_intruder_ = 0;
  step_ = mine;
}

std::unique_ptr<backends::Backend> Simulation::backend(Command& command, ProcessDisk& disk,
                                                       diag::Diagnostics& diags) {
  if (!history_.is_remote) {
    return backends::make_local_backend({.version = "1.12.6"}, state::no_encryption(), disk);
  }
  backends::BackendContext context{.version = "1.12.6", .encryption = state::no_encryption()};
  const backends::BackendContext with_disk{.version = "1.12.6",
                                           .encryption = state::no_encryption(),
                                           .journal_directories = {"journals"},
                                           .disk = disk,
                                           .deferred_diagnostics = &diags};
  return backends::make_remote_backend(make_storage(network_, command.process, *this), with_disk);
}

engine::RunInputs Simulation::inputs(Command& command, const Step& step, Loop& loop,
                                     Sources& sources, bool is_applying) {
  static const eval::RunInfo kPlanning = [] {
    eval::RunInfo info;
    info.applying = false;
    return info;
  }();
  static const eval::RunInfo kApplying = [] {
    eval::RunInfo info;
    info.applying = true;
    return info;
  }();
  static NoEvents no_events;
  engine::RunInputs made{
      .program = *compiled(text_of(step.config)).program,
      .functions = function_table(),
      .facts = is_applying ? kApplying : kPlanning,
      .providers = sources,
      .events = no_events,
      .stop = command.stop.get_token(),
      .provision = [this, &command](
                       const provisioners::ProvisionerRun& run) { return provision(command, run); },
      .threads = 1,
      .shuffle = step.seed | 1,
      .runtime = loop};
  for (std::size_t i = 0; i < step.config.size(); ++i) {
    const Declared& one = step.config[i];
    if (one.count < 0) continue;
    made.variables[fmt::format("count{}", i)] = Value::string(std::to_string(one.count));
    made.variables[fmt::format("zone{}", i)] = Value::string(std::to_string(one.zone));
    made.variables[fmt::format("label{}", i)] = Value::string(std::to_string(one.label));
  }
  return made;
}

// Before the plan is consumed.
void Simulation::learn_plan(Command& command, const engine::Planned& planned) {
  command.prior = object_ids(planned.prior);
  for (const plans::ResourceChange& change : planned.plan.changes) {
    if (change.before.is_null()) continue;
    const std::string id = simulation::text_of(change.before.deep_unmarked(), "id");
    switch (change.action) {
      case plans::Action::Delete:
      case plans::Action::DeleteThenCreate:
      case plans::Action::CreateThenDelete: command.destroys.insert(id); break;
      case plans::Action::Update: command.updates.insert(id); break;
      case plans::Action::NoOp:
      case plans::Action::Create:
      case plans::Action::Read:
      case plans::Action::ForgetThenCreate:
      case plans::Action::Forget: break;
    }
  }
}

// As the command "apply" does it.
bool Simulation::apply(Command& command, const Step& step, ProcessDisk& disk, Loop& loop,
                       cli::Terminal& terminal) {
  static const cli::Environment kEnvironment = [] {
    cli::Environment environment;
    environment.now = [] { return std::pair<std::int64_t, std::int32_t>(1'800'000'000, 0); };
    return environment;
  }();
  static const cli::Settings kSettings{.environment = kEnvironment};
  diag::Diagnostics diags;
  const auto tell = [&] {
    const workdir::Told told = workdir::tell(diags, terminal);
    const bool ok = !diags.has_errors();
    diags.clear();
    return std::pair(told, ok);
  };
  const auto backend_of = backend(command, disk, diags);
  auto run = runs::open_run_state(*backend_of, "default", "OperationTypeApply", {}, kSettings,
                                  terminal, signals(), diags);
  if (!run) return tell().second && false;
  if (command.process.is_alive) {
    if (holder_ != nullptr && holder_->process.is_alive) fail("a lock has two owners");
    holder_ = &command;
  }
  const auto carry_out = [&] {
    Sources sources([&] { return make_provider(cloud_, command.process, loop, *this); });
    engine::PlanOptions options;
    if (step.destroys) options.mode = plans::Mode::Destroy;
    engine::Planned planned =
        engine::make_plan(inputs(command, step, loop, sources, false), options,
                          run->state.value_or(state::State()), diags);
    if (diags.has_errors()) return tell().second;
    learn_plan(command, planned);
    runs::PlanDigest digest(planned.plan, loop);
    runs::Applied after = runs::apply_and_store(inputs(command, step, loop, sources, true), planned,
                                                digest, *run, terminal, diags);
    const auto [told, ok] = tell();
    if (after.journal) workdir::end_journal(*after.journal, after.state.serial, told, diags);
    if (ok && command.process.is_alive && !history_.is_remote) {
      acknowledged_ = std::max(acknowledged_, after.state.serial);
    }
    return tell().second && ok;
  };
  const bool ok = carry_out();
  if (holder_ == &command) holder_ = nullptr;
  run->store.reset();
  return tell().second && ok;
}

bool Simulation::run_in(Command& command, const Step& step) {
  static const cli::Environment kEnvironment;
  ProcessDisk disk(disk_, command.process, *this, running_,
                   [&](const std::string& path, const std::string& content) {
                     if (path == kStateFile) check_stored(command.process, content);
                   });
  Loop loop(command.process, *this, clock_, step.seed);
  cli::Input input{std::string()};
  cli::Output output(command.process.printed);
  cli::Terminal terminal(input, output, output, kEnvironment,
                         compiled(text_of(step.config)).sources);
  terminal.view.color = false;
  return apply(command, step, disk, loop, terminal);
}

bool Simulation::run(const Step& step) {
  ++tally_.runs;
  Command command{.process = {.number = ++last_process_}, .config = step.config};
  running_[command.process.number] = true;
  commands_[command.process.number] = &command;
  ++depth_;
  const bool ok = run_in(command, step);
  --depth_;
  commands_.erase(command.process.number);
  running_.erase(command.process.number);
  if (command.seen) command.process.printed.resize(*command.seen);
  if (log_ != nullptr) {
    *log_ +=
        fmt::format("---- process {}{}\n{}", command.process.number,
                    command.process.is_alive ? "" : ", which was killed", command.process.printed);
  }
  keep_printed_state(command.process.printed);
  if (command.process.printed.find(kSecret) != std::string::npos) fail("a secret was printed");
  look_after(command);
  check_known();
  check_half_made();
  return ok && command.process.is_alive;
}

// A state that was printed because no file could be written is put into one by hand.
void Simulation::keep_printed_state(std::string& printed) {
  const std::size_t begin = printed.find("{\n  \"version\": 4,");
  const std::size_t end = begin == std::string::npos ? begin : printed.find("\n}\n", begin);
  if (end == std::string::npos) return;
  disk_.put("errored.tfstate", printed.substr(begin, end + 3 - begin));
  printed.erase(begin, end + 3 - begin);
}

// What was reported as in progress is looked for and removed by hand, unless it is known by now.
void Simulation::look_after(const Command& command) {
  reported_.merge(reported_in(command.process.printed));
  if (depth_ > 0 || reported_.empty()) return;
  const Knowledge knowledge = knowledge_of(stored_state(), disk_);
  std::erase_if(cloud_.things, [&](const auto& one) {
    return reported_.contains(one.second.name) && !knowledge.ids.contains(one.first);
  });
  reported_.clear();
}

void Simulation::check_known() {
  if (depth_ > 0) return;  // another process is in the middle of something
  const Knowledge knowledge = knowledge_of(stored_state(), disk_);
  for (const auto& [id, thing] : cloud_.things) {
    if (knowledge.ids.contains(id) || knowledge.in_flight.contains(address_of(thing.name)))
      continue;
    fail(
        fmt::format("{} ({}) exists and is in no state, no journal and no report", id, thing.name));
  }
}

void Simulation::check_half_made() {
  const bool has_any =
      std::ranges::any_of(cloud_.things, [](const auto& one) { return one.second.is_half_made; });
  if (depth_ > 0 || !has_any) return;
  for (const std::string& id : good_ids(stored_state())) {
    const auto found = cloud_.things.find(id);
    if (found != cloud_.things.end() && found->second.is_half_made) {
      fail(fmt::format("{} was made by half and is taken for good", id));
    }
  }
}

// A person changes and removes what exists.
void Simulation::meddle() {
  std::vector<std::string> gone;
  for (auto& [id, thing] : cloud_.things) {
    if (random_.one_in(4)) gone.push_back(id);
    if (random_.one_in(4)) thing.object = with(thing.object, "label", Value::string("meddled"));
  }
  for (const std::string& id : gone) cloud_.things.erase(id);
}

// A person pushes what a run could not store, as the run said.
void Simulation::push_errored() {
  const std::string text(disk_.content("errored.tfstate"));
  if (text.empty()) return;
  Command command{.process = {.number = ++last_process_}};
  ProcessDisk disk(disk_, command.process, *this, running_,
                   [](const std::string&, const std::string&) {});
  diag::Diagnostics diags;
  const auto state = state::read_state(text, diags);
  if (!state) return fail("errored.tfstate cannot be read");
  const auto opened = backend(command, disk, diags);
  const auto store = opened->open("default", diags);
  const auto stored = store->read(diags);
  if (!stored) return fail("the state cannot be read to push another");
  const bool is_newer = !stored->state || stored->state->serial <= state->serial;
  const auto journals = workdir::pending_journals(*store, diags);
  bool is_contained = journals.has_value();
  if (journals) {
    for (const workdir::PendingJournal& pending : *journals) {
      is_contained = is_contained && state::contains_run(*state, pending.journal);
    }
  }
  if (is_newer && is_contained) {
    // TODO(#30): where the answer to a request was lost, the store may have another state of this
    // run with the same serial. Then the push is refused, and the journal completes the state.
    if (!store->push(*state, false, diags)) return disk_.remove("errored.tfstate");
    for (const workdir::PendingJournal& pending : *journals) disk_.remove(pending.path);
    const StateHead head = head_of(stored_state());
    last_stored_ = stored_state();
    last_serial_ = head.serial;
    lineage_ = head.lineage;
  }
  disk_.remove("errored.tfstate");
}

// Where a newer state does not know what a journal has, a person decides: "tofu state recover",
// approved.
void Simulation::decide_about_journals() {
  Command command{.process = {.number = ++last_process_}};
  ProcessDisk disk(disk_, command.process, *this, running_,
                   [](const std::string&, const std::string&) {});
  diag::Diagnostics diags;
  const auto opened = backend(command, disk, diags);
  const auto store = opened->open("default", diags);
  const auto journals = workdir::pending_journals(*store, diags);
  if (!journals) return fail("a journal cannot be read");
  for (const workdir::PendingJournal& pending : *journals) {
    const auto stored = store->read(diags);
    if (!stored) return fail("the state cannot be read to complete it");
    state::Recovery recovery =
        state::recover(stored->state ? &*stored->state : nullptr, pending.journal);
    if (recovery.verdict != state::Verdict::Offer) continue;
    if (!store->write(recovery.state, diags)) return fail("the state cannot be completed by hand");
    disk_.remove(pending.path);
    if (log_ != nullptr) *log_ += "---- a person: tofu state recover\n";
    const StateHead head = head_of(stored_state());
    last_stored_ = stored_state();
    last_serial_ = head.serial;
    lineage_ = head.lineage;
  }
}

void Simulation::play(const Step& step) {
  random_ = Random(step.seed);
  if (step.meddles) meddle();
  step_ = &step;
  had_errors_ = false;
  moments_ = disk_operations_ = writes_ = syncs_ = calls_ = provisioners_ = requests_ = 0;
  (void)run(step);
  step_ = nullptr;
  push_errored();
  network_.lock.reset();  // a person unlocks what the dead have locked
  if (random_.one_in(2)) decide_about_journals();
}

void Simulation::check_as_configured(const Step& step) {
  std::map<std::string, std::string> wanted;
  for (std::size_t i = 0; i < step.config.size(); ++i) {
    const Declared& one = step.config[i];
    for (int k = 0; k < one.count; ++k) {
      wanted[fmt::format("r{}[{}]", i, k)] = fmt::format("{} {}", one.zone, one.label);
    }
  }
  std::map<std::string, std::string> found;
  const std::set<std::string> good = good_ids(stored_state());
  for (const auto& [id, thing] : cloud_.things) {
    const std::string as = fmt::format("{} {}", simulation::text_of(thing.object, "zone"),
                                       simulation::text_of(thing.object, "label"));
    if (!found.emplace(thing.name, as).second) fail(fmt::format("{} exists twice", thing.name));
    if (!good.contains(id)) fail(fmt::format("{} is not in the state in the end", id));
  }
  if (found != wanted) fail("in the end, what exists is not what is configured");
  if (good.size() != found.size()) fail("in the end, the state has more than what exists");
  check_outputs(step.config);
  for (const auto& [path, inode] : disk_.names()) {
    const bool is_expected =
        path == kStateFile || path == "terraform.tfstate.backup" || path.ends_with(".damaged");
    if (!is_expected) fail(fmt::format("{} was left behind", path));
  }
  if (network_.lock) fail("a lock was left behind");
}

// The outputs of the state are those of what exists.
void Simulation::check_outputs(const Config& config) {
  diag::Diagnostics diags;
  const auto state = state::read_state(stored_state(), diags);
  if (!state) return fail("in the end there is no state");
  const auto tokens = state->outputs.find("tokens");
  const auto secrets = state->outputs.find("secrets");
  if (tokens == state->outputs.end() || secrets == state->outputs.end()) {
    return fail("in the end, an output is missing");
  }
  if (!is_sensitive(secrets->second) || is_sensitive(tokens->second)) {
    fail("in the end, an output is marked wrongly");
  }
  std::set<std::string> all;
  for (const auto& [id, thing] : cloud_.things) {
    all.insert(simulation::text_of(thing.object, "token"));
  }
  (void)config;
  if (texts_in(tokens->second) != all) fail("in the end, the outputs are not of what exists");
}

std::optional<std::string> Simulation::play() {
  for (const Step& step : history_.steps) {
    play(step);
    if (violation_) return violation_;
  }
  decide_about_journals();
  disk_.let_a_day_pass();
  Step last{.config = history_.steps.empty() ? Config{} : history_.steps.back().config,
            .seed = history_.steps.empty() ? 0 : history_.steps.back().seed};
  const bool is_done = run(last);
  if (violation_) return violation_;
  const std::uint64_t calls = all_calls_;
  if (!run(last)) fail("the second run without incidents has errors");
  if (is_done && all_calls_ != calls) fail("the second run without incidents changes something");
  if (!violation_) check_as_configured(last);
  return violation_;
}

}  // namespace

std::optional<std::string> violation_of(const History& history, Tally& tally, std::string* log) {
  try {
    return Simulation(history, tally, log).play();
  } catch (const base::InternalError& broken) {
    return fmt::format("an internal error: {}", broken.what());
  }
}

}  // namespace tofu::simulation
