#include "engine/state_writer.h"

#include <utility>

#include "functions/timestamp.h"

namespace tofu::engine {

namespace {

constexpr std::chrono::seconds kBetweenSaves{20};

}  // namespace

StateWriter::StateWriter(state::State state, state::JournalWriter* journal, Save save,
                         base::Runtime& runtime)
    : journal_(journal),
      save_(std::move(save)),
      runtime_(runtime),
      state_(std::move(state)),
      last_save_(runtime.now()) {
  if (journal_ != nullptr || save_) {
    worker_ = runtime_.start_worker([this] { work(); }, kBetweenSaves);
  }
}

StateWriter::~StateWriter() {
  const std::lock_guard lock(mutex_);
  ends_ = true;
}

std::string StateWriter::now_as_text() const {
  const auto now = runtime_.date().time_since_epoch();
  return functions::format_rfc3339(
      {std::chrono::duration_cast<std::chrono::seconds>(now).count(), 0, 0});
}

void StateWriter::begin(const ObjectRef& operand, state::Action action,
                        const std::string& private_data, const std::optional<Displaced>& displaced,
                        Done done) {
  const state::JournalIntent intent{operand.address,  operand.deposed_key, action,
                                    operand.provider, private_data,        now_as_text()};
  if (!displaced) return when_safe(intent, std::move(done));
  Records records = displacing(operand, *displaced);
  Records all = records;
  all.emplace_back(intent);
  when_safe(all,
            [this, records = std::move(records), done = std::move(done)](base::Result<void> safe) {
              // Otherwise its successor is not begun, and it stays.
              if (safe) carry_out(records);
              done(std::move(safe));
            });
}

void StateWriter::finish(const ObjectRef& operand, state::Object object, Done done) {
  change(operand, object);
  when_safe(
      state::JournalDone{operand.address, operand.deposed_key, operand.provider, std::move(object)},
      std::move(done));
}

void StateWriter::finish_before_provisioning(const ObjectRef& operand, const state::Object& object,
                                             Done done) {
  change(operand, object.with_status(state::ObjectStatus::Tainted));
  const Records records = {
      state::JournalDone{operand.address, operand.deposed_key, operand.provider, object},
      state::JournalProvisioning{operand.address, operand.deposed_key, operand.provider,
                                 state::Action::Create, false, now_as_text()}};
  when_safe(records, std::move(done));
}

void StateWriter::finish_with_displaced(const ObjectRef& operand, const Displaced& displaced,
                                        Done done) {
  const Records records = bringing_back(operand, displaced);
  carry_out(records);
  when_safe(records, std::move(done));
}

void StateWriter::lose(const ObjectRef& operand, state::Action action,
                       const std::optional<Displaced>& displaced, Done done) {
  Records records;
  if (displaced) records = bringing_back(operand, *displaced);
  carry_out(records);
  records.emplace_back(state::JournalLost{operand.address, operand.deposed_key, operand.provider,
                                          action, now_as_text()});
  when_safe(records, std::move(done));
}

void StateWriter::begin_provisioning(const ObjectRef& operand, Done done) {
  when_safe(state::JournalProvisioning{operand.address, operand.deposed_key, operand.provider,
                                       state::Action::Delete, false, now_as_text()},
            std::move(done));
}

void StateWriter::end_provisioning(const ObjectRef& operand) {
  if (journal_ == nullptr) return;
  (void)journal_->append(state::JournalProvisioning{operand.address, operand.deposed_key,
                                                    operand.provider, state::Action::Delete, true,
                                                    now_as_text()});
}

void StateWriter::end_provisioning_of_new(const ObjectRef& operand, const state::Object& object,
                                          Done done) {
  change(operand, object);
  when_safe(state::JournalProvisioning{operand.address, operand.deposed_key, operand.provider,
                                       state::Action::Create, true, now_as_text()},
            std::move(done));
}

void StateWriter::note(const ObjectRef& operand, state::Object object) {
  if (journal_ != nullptr) {
    (void)journal_->append(
        state::JournalDone{operand.address, operand.deposed_key, operand.provider, object});
  }
  change(operand, std::move(object));
}

void StateWriter::change(const ObjectRef& operand, state::Object object) {
  const std::lock_guard lock(mutex_);
  state_.set_object(operand.address, operand.deposed_key, std::move(object), operand.provider);
}

void StateWriter::keep_entry(const addrs::AbsResource& address,
                             const addrs::AbsProviderConfig& provider) {
  const std::lock_guard lock(mutex_);
  if (state_.resource(address) != nullptr) return;
  state_.put_resource(state::Resource(address, state_.share(provider)));
}

state::Object StateWriter::object_at(const ObjectRef& operand) const {
  const std::lock_guard lock(mutex_);
  const state::Object* found = state_.object(operand.address, operand.deposed_key);
  return found == nullptr ? state::Object() : *found;
}

StateWriter::Records StateWriter::displacing(const ObjectRef& operand,
                                             const Displaced& displaced) const {
  Records records;
  if (!displaced.deposed_key.empty()) {
    records.emplace_back(state::JournalDone{operand.address, displaced.deposed_key,
                                            operand.provider, object_at(operand)});
  }
  records.emplace_back(state::JournalDone{operand.address, {}, operand.provider, {}});
  return records;
}

StateWriter::Records StateWriter::bringing_back(const ObjectRef& operand,
                                                const Displaced& displaced) const {
  const ObjectRef deposed{operand.address, displaced.deposed_key, operand.provider};
  return {state::JournalDone{operand.address, {}, operand.provider, object_at(deposed)},
          state::JournalDone{operand.address, displaced.deposed_key, operand.provider, {}}};
}

void StateWriter::carry_out(const Records& records) {
  for (const state::JournalRecord& record : records) {
    const auto& done = std::get<state::JournalDone>(record);
    change({done.address, done.deposed_key, done.provider}, done.object);
  }
}

void StateWriter::note_displaced(const ObjectRef& operand, const Displaced& displaced) {
  const Records records = displacing(operand, displaced);
  if (journal_ != nullptr) (void)journal_->append(records);
  carry_out(records);
}

void StateWriter::set_output(const std::string& name, std::optional<state::Output> output) {
  if (journal_ != nullptr) (void)journal_->append(state::JournalOutput{name, output});
  const std::lock_guard lock(mutex_);
  if (output) {
    state_.outputs.insert_or_assign(name, std::move(*output));
  } else {
    state_.outputs.erase(name);
  }
}

void StateWriter::set_checks(std::vector<state::CheckResult> checks) {
  if (journal_ != nullptr) {
    for (const state::CheckResult& result : checks) {
      (void)journal_->append(state::JournalCheck{result});
    }
  }
  const std::lock_guard lock(mutex_);
  state_.checks = std::move(checks);
}

state::State StateWriter::snapshot() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void StateWriter::when_safe(std::span<const state::JournalRecord> records, Done done) {
  if (journal_ == nullptr) {
    done({});
    return;
  }
  const state::JournalWriter::Ticket ticket = journal_->append(records);
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({ticket, std::move(done)});
  }
  worker_->notify();
}

void StateWriter::work() {
  std::vector<Waiting> now;
  {
    const std::lock_guard lock(mutex_);
    now = std::exchange(waiting_, {});
    if (ends_ && now.empty()) return;
  }
  // The last of them was appended last, so all are on disk when it is.
  for (Waiting& one : now) one.done(journal_->wait(one.ticket));
  save_if_due();
}

// Copying the state is cheap; storing it is not, and happens while others go on.
void StateWriter::save_if_due() {
  if (!save_ || runtime_.now() - last_save_ < kBetweenSaves) return;
  save_(snapshot());
  last_save_ = runtime_.now();
}

}  // namespace tofu::engine
