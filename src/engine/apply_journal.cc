#include "engine/apply_journal.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

#include "base/overloaded.h"
#include "base/shell_text.h"
#include "engine/answers.h"
#include "engine/targets.h"
#include "eval/outputs.h"
#include "schema/consistency.h"

namespace tofu::engine {

namespace {

using plans::Action;

// As many bytes of the state are made before memory is given back.
constexpr std::size_t kTrimBytes = std::size_t{32} << 20;

ObjectRef object_ref(const InstanceTask& task) {
  return {task.address, task.deposed_key, task.provider->address()};
}

state::Action in_journal(Action action) {
  if (action == Action::Update) return state::Action::Update;
  return action == Action::Delete ? state::Action::Delete : state::Action::Create;
}

// How to continue after a call whose result is unknown.
std::string advice(const addrs::AbsResourceInstance& address, Action action, bool was_displaced) {
  const std::string name = address.to_string();
  if (action == Action::Delete) {
    return fmt::format(
        "{} may or may not be destroyed. It stays in the state; the next plan shows whether it "
        "exists.",
        name);
  }
  if (action == Action::Update) {
    return fmt::format(
        "{} may or may not be changed. The state has its previous values; the next plan shows the "
        "remaining changes.",
        name);
  }
  if (was_displaced) {
    return fmt::format(
        "The new object of {0} may exist without being in the state, which has the object it "
        "replaces. If it exists, destroy it manually, or use it instead of the old one: run \"tofu "
        "state rm {1}\" and \"tofu import {1} ID\", and destroy the old object manually.",
        name, base::shell_quoted(name));
  }
  return fmt::format(
      "{0} may exist without being in the state. If it exists, import it: tofu import {1} ID", name,
      base::shell_quoted(name));
}

}  // namespace

bool ApplyJournal::check_written(const base::Result<void>& written, diag::Diagnostics& diags) {
  if (written) return true;
  if (run_.cancellation.abort()) {
    diags.error("Cannot write the journal")
        .detail(fmt::format("No further operations were started because the journal could not be "
                            "written: {}. Operations in progress have finished.",
                            written.error().what));
  }
  return false;
}

// Tells the writer something that has to be on disk before the run goes on.
tasks::Async<bool> ApplyJournal::record(Record record, diag::Diagnostics& diags) {
  const auto written = co_await tasks::asking<base::Result<void>>(
      run_.executor, [&](auto done) { record(std::move(done)); });
  co_return check_written(written, diags);
}

// Whether all that is done is to change the state: then nothing can be lost that would have to
// be found again, and no step waits for the disk.
bool ApplyJournal::is_only_recorded(const InstanceTask& task) const {
  if (!task.provider->provider().capabilities().objects_are_records) return false;
  if (task.config != nullptr) return task.config->provisioners.empty();
  const auto removal = apply_.removed.find(addrs::config_of(task.address));
  return !removal || removal->provisioners->empty();
}

tasks::Async<bool> ApplyJournal::begin(const Operation& operation, const InstanceTask& task,
                                       const std::string& private_data,
                                       const std::optional<Displaced>& displaced,
                                       diag::Diagnostics& diags) {
  if (run_.cancellation.is_aborted()) co_return false;
  bool may_begin = true;
  if (!is_only_recorded(task)) {
    may_begin = co_await record(
        [&](auto done) {
          apply_.writer.begin(object_ref(task), in_journal(operation.action()), private_data,
                              displaced, std::move(done));
        },
        diags);
  } else {
    may_begin = check_written(apply_.writer.check_journal(), diags);
    if (may_begin && displaced) apply_.writer.note_displaced(object_ref(task), *displaced);
  }
  if (may_begin && displaced && !displaced->deposed_key.empty()) {
    const std::lock_guard lock(mutex_);
    deposed_[task.address] = displaced->deposed_key;
  }
  co_return may_begin;
}

// The object as it is stored.
diag::Checked<state::Object> ApplyJournal::storable(const InstanceTask& task,
                                                    const LiveObject& object,
                                                    diag::Diagnostics& diags) {
  auto made = to_state(object, *task.schema);
  if (!made) {
    diags.error("Provider returned invalid result object after apply")
        .detail(fmt::format("The state cannot store {}: {}. This is a bug in the provider.",
                            task.address.to_string(), made.error().what));
    return std::nullopt;
  }
  stored_bytes_ += made->text().size();
  return std::move(*made);
}

void ApplyJournal::leave_empty(const addrs::AbsResourceInstance& address) {
  const std::lock_guard lock(mutex_);
  left_empty_.insert(addrs::resource_of(address));
}

tasks::Async<bool> ApplyJournal::finish(const InstanceTask& task,
                                        const std::optional<LiveObject>& object, Next next,
                                        diag::Diagnostics& diags) {
  state::Object stored;
  if (object && object->is_there()) {
    auto made = storable(task, *object, diags);
    if (!made) co_return false;
    stored = std::move(*made);
  } else if (apply_.plan().mode != plans::Mode::Destroy) {
    leave_empty(task.address);
  }
  if (is_only_recorded(task)) {
    apply_.writer.note(object_ref(task), std::move(stored));
    co_return check_written(apply_.writer.check_journal(), diags);
  }
  co_return co_await record(
      [&](auto done) {
        if (next == Next::Provisioners) {
          apply_.writer.finish_before_provisioning(object_ref(task), stored, std::move(done));
        } else {
          apply_.writer.finish(object_ref(task), std::move(stored), std::move(done));
        }
      },
      diags);
}

tasks::Async<bool> ApplyJournal::finish_with_displaced(const InstanceTask& task,
                                                       const Displaced& displaced,
                                                       diag::Diagnostics& diags) {
  co_return co_await record(
      [&](auto done) {
        apply_.writer.finish_with_displaced(object_ref(task), displaced, std::move(done));
      },
      diags);
}

tasks::Async<bool> ApplyJournal::lose(const InstanceTask& task, Action action,
                                      const std::optional<Displaced>& displaced,
                                      providers::ApplyAnswer answer, diag::Diagnostics& diags) {
  const auto problem =
      std::ranges::find(answer.problems, diag::Severity::Error, &providers::Problem::severity);
  if (problem != answer.problems.end()) {
    problem->detail += "\n\n" + advice(task.address, action, displaced.has_value());
  }
  report(answer.problems, action == Action::Delete ? nullptr : task.body(),
         task.address.to_string(), diags);
  if (action == Action::Create && !displaced) leave_empty(task.address);
  co_return co_await record(
      [&](auto done) {
        apply_.writer.lose(object_ref(task), in_journal(action), displaced, std::move(done));
      },
      diags);
}

tasks::Async<bool> ApplyJournal::begin_provisioning(const InstanceTask& task,
                                                    diag::Diagnostics& diags) {
  if (run_.cancellation.is_aborted()) co_return false;
  co_return co_await record(
      [&](auto done) { apply_.writer.begin_provisioning(object_ref(task), std::move(done)); },
      diags);
}

void ApplyJournal::end_provisioning(const InstanceTask& task) {
  apply_.writer.end_provisioning(object_ref(task));
}

tasks::Async<bool> ApplyJournal::end_provisioning_of_new(const InstanceTask& task,
                                                         const LiveObject& object,
                                                         diag::Diagnostics& diags) {
  const auto stored = storable(task, object, diags);
  if (!stored) co_return false;
  co_return co_await record(
      [&](auto done) {
        apply_.writer.end_provisioning_of_new(object_ref(task), *stored, std::move(done));
      },
      diags);
}

void ApplyJournal::note(const InstanceTask& task, state::Object object) {
  apply_.writer.note(object_ref(task), std::move(object));
}

std::optional<std::string> ApplyJournal::deposed_key(
    const addrs::AbsResourceInstance& address) const {
  const std::lock_guard lock(mutex_);
  const auto found = deposed_.find(address);
  return found == deposed_.end() ? std::nullopt : std::optional(found->second);
}

bool ApplyJournal::take_trim_due() {
  return stored_bytes_ >= kTrimBytes && stored_bytes_.exchange(0) >= kTrimBytes;
}

namespace {

using eval::ObjectId;
using plans::Action;
using value::Value;

state::CheckStatus in_state(plans::CheckStatus status) {
  switch (status) {
    case plans::CheckStatus::Unknown: return state::CheckStatus::Unknown;
    case plans::CheckStatus::Pass: return state::CheckStatus::Pass;
    case plans::CheckStatus::Fail: return state::CheckStatus::Fail;
    case plans::CheckStatus::Error: return state::CheckStatus::Error;
  }
  return state::CheckStatus::Unknown;
}

state::CheckKind kind_of(const addrs::ConfigCheckable& address) {
  return std::visit(
      base::Overloaded{
          [](const addrs::ConfigResource&) { return state::CheckKind::Resource; },
          [](const addrs::ConfigOutputValue&) { return state::CheckKind::Output; },
          [](const addrs::ConfigCheck&) { return state::CheckKind::Check; },
          [](const addrs::ConfigInputVariable&) { return state::CheckKind::Variable; },
      },
      address);
}

std::vector<state::CheckResult> in_state(const std::vector<plans::CheckedObject>& checks) {
  std::vector<state::CheckResult> made;
  for (const plans::CheckedObject& object : checks) {
    state::CheckResult result{kind_of(object.address), addrs::to_string(object.address),
                              in_state(object.status)};
    for (const plans::CheckedInstance& one : object.instances) {
      result.objects.push_back({addrs::to_string(one.address), in_state(one.status), one.problems});
    }
    made.push_back(std::move(result));
  }
  return made;
}

}  // namespace

bool AppliedState::keep(const config::Output& output, const Value& v, diag::Diagnostics& diags) {
  if (!eval::check_storable(output, v, diags)) return false;
  // What was known when it was planned is what was agreed to, even if a function of a provider
  // says something else by now.
  const auto& outputs = apply_.plan().outputs;  // sorted by name
  const auto planned =
      std::ranges::lower_bound(outputs, output.name, {}, &plans::OutputChange::name);
  const bool was_known = planned != outputs.end() && planned->name == output.name &&
                         planned->action != Action::Delete && planned->after.wholly_known();
  const std::lock_guard lock(mutex_);
  outputs_.insert_or_assign(output.name, was_known ? planned->after : v);
  return true;
}

void AppliedState::note_begun(ObjectId row, eval::ModuleInstanceId module) {
  if (run_.resource(row).mode == addrs::ResourceMode::Ephemeral) return;
  addrs::AbsResource address = run_.address(row, module);
  if (apply_.prior().resource(address) != nullptr) return;
  const std::lock_guard lock(mutex_);
  begun_.emplace(std::move(address), run_.provider_address(row));
}

// In OpenTofu a resource has an entry in the state as soon as its instances are found out. One
// that has none goes at the end of a run without errors, and before that when a provider says
// that nothing was made, or the last is destroyed.
void AppliedState::persist_empty_resources() {
  for (const auto& [address, provider] : begun_) {
    if (!journal_.left_empty().contains(address)) apply_.writer.keep_entry(address, provider);
  }
}

// What was read is not destroyed, but not kept, either.
void AppliedState::forget_data() {
  const DestroyTargeting targeting(apply_.prior(), {apply_.plan().targets, apply_.plan().excludes});
  for (const state::Resource* resource : apply_.prior().resources()) {
    if (resource->address().object.mode != addrs::ResourceMode::Data) continue;
    resource->for_each([&](const state::Instance& instance) {
      const auto address = addrs::instance_of(resource->address(), instance.key());
      if (targeting.has(address))
        apply_.writer.note({address, {}, resource->provider_of(instance)}, {});
    });
  }
}

// While instances that go had the old provider, the state named that for the others as well. Now
// that they are gone, it names the one that the others were planned with.
void AppliedState::name_providers() {
  const plans::Plan& plan = apply_.plan();
  std::set<plans::ResourceId> with_gone;
  for (const plans::ResourceChange& change : plan.changes) {
    if (change.action == Action::Delete || change.action == Action::Forget) {
      with_gone.insert(change.resource);
    }
  }
  if (with_gone.empty()) return;
  const state::State now = apply_.writer.snapshot();
  for (const plans::ResourceId id : with_gone) {
    const plans::ResourceRow& row = plan.addresses[id];
    const addrs::AbsResource address{plan.addresses[row.module], row.resource};
    const state::Resource* stored = now.resource(address);
    if (stored == nullptr) continue;
    const ResourceChanges& changes = apply_.changes.of(id);
    bool stays_behind = false;
    std::vector<ObjectRef> moved;
    stored->for_each([&](const state::Instance& instance) {
      const plans::ResourceChange* change = changes.find(instance.key());
      const bool goes = change == nullptr || change->action == Action::Delete ||
                        change->action == Action::Forget || !instance.deposed().empty();
      stays_behind = stays_behind || goes || instance.current() == nullptr;
      if (goes) return;
      const addrs::AbsProviderInstance& provider = plan.addresses[change->provider];
      if (provider == stored->provider_of(instance)) return;
      moved.push_back({addrs::instance_of(address, instance.key()), {}, provider});
    });
    if (stays_behind) continue;
    for (const ObjectRef& one : moved) apply_.writer.note(one, *now.object(one.address));
  }
}

void AppliedState::write_outputs() {
  for (const plans::OutputChange& change : apply_.plan().outputs) {
    if (change.action == Action::Delete) apply_.writer.set_output(change.name, std::nullopt);
  }
  if (apply_.plan().mode == plans::Mode::Destroy) return;
  const config::Module& root = *run_.program.tree->root().module;
  for (const auto& [name, v] : outputs_) {
    const config::Output* output = root.outputs.find(name);
    Value plain = v.deep_unmarked();
    // An output that is null is not there.
    if (plain.is_null()) {
      apply_.writer.set_output(name, std::nullopt);
      continue;
    }
    // Only what was not made by this plan is unknown still.
    if (!plain.wholly_known()) plain = schema::unknown_as_null(plain);
    apply_.writer.set_output(
        name, state::Output{plain, output->is_sensitive(), output->deprecated.value_or("")});
  }
}

void AppliedState::end(bool failed) {
  const plans::Mode mode = apply_.plan().mode;
  if (mode == plans::Mode::Destroy) {
    forget_data();
  } else if (failed) {
    persist_empty_resources();
  }
  if (mode == plans::Mode::Normal) name_providers();
  write_outputs();
  // Nothing is evaluated anew by a plan that only refreshes.
  apply_.writer.set_checks(in_state(
      mode == plans::Mode::RefreshOnly ? apply_.plan().checks : run_.checks.results().objects));
}

}  // namespace tofu::engine
