#include "engine/state_writer.h"

#include <utility>

#include "functions/timestamp.h"

namespace tofu::engine {

namespace {

constexpr std::chrono::seconds kBetweenSaves{20};

std::string now_as_text() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return functions::format_rfc3339(
      {std::chrono::duration_cast<std::chrono::seconds>(now).count(), 0, 0});
}

}  // namespace

StateWriter::StateWriter(state::State state, state::JournalWriter* journal, Save save)
    : journal_(journal),
      save_(std::move(save)),
      state_(std::move(state)),
      last_save_(std::chrono::steady_clock::now()) {
  if (journal_ != nullptr || save_) thread_ = std::thread([this] { work(); });
}

StateWriter::~StateWriter() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StateWriter::begin(const Operand& operand, state::Action action,
                        const std::string& private_data, Done done) {
  when_safe(state::JournalIntent{operand.address, operand.deposed_key, action, operand.provider,
                                 private_data, now_as_text()},
            std::move(done));
}

void StateWriter::finish(const Operand& operand, state::Object object, Done done) {
  change(operand, object);
  when_safe(
      state::JournalDone{operand.address, operand.deposed_key, operand.provider, std::move(object)},
      std::move(done));
}

void StateWriter::note(const Operand& operand, state::Object object) {
  if (journal_ != nullptr) {
    (void)journal_->append(
        state::JournalDone{operand.address, operand.deposed_key, operand.provider, object});
  }
  change(operand, std::move(object));
}

void StateWriter::change(const Operand& operand, state::Object object) {
  const std::lock_guard lock(mutex_);
  state_.set_object(operand.address, operand.deposed_key, std::move(object), operand.provider);
}

void StateWriter::keep_entry(const addrs::AbsResource& address,
                             const addrs::AbsProviderConfig& provider) {
  const std::lock_guard lock(mutex_);
  if (state_.resource(address) != nullptr) return;
  state_.put_resource(state::Resource(address, state_.share(provider)));
}

void StateWriter::depose(const Operand& operand, const std::string& key) {
  state::Object object;
  {
    const std::lock_guard lock(mutex_);
    if (const state::Object* found = state_.object(operand.address)) object = *found;
  }
  Operand deposed = operand;
  deposed.deposed_key = key;
  note(deposed, object);
  note(operand, {});
}

void StateWriter::restore(const Operand& operand, const std::string& key) {
  state::Object object;
  {
    const std::lock_guard lock(mutex_);
    if (const state::Object* found = state_.object(operand.address, key)) object = *found;
  }
  Operand deposed = operand;
  deposed.deposed_key = key;
  note(operand, object);
  note(deposed, {});
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

void StateWriter::when_safe(const state::JournalRecord& record, Done done) {
  if (journal_ == nullptr) {
    done({});
    return;
  }
  const state::JournalWriter::Ticket ticket = journal_->append(record);
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({ticket, std::move(done)});
  }
  changed_.notify_one();
}

void StateWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait_for(lock, kBetweenSaves, [&] { return ends_ || !waiting_.empty(); });
    if (ends_ && waiting_.empty()) return;
    std::vector<Waiting> now = std::exchange(waiting_, {});
    lock.unlock();
    // The last of them was appended last, so all are on disk when it is.
    for (Waiting& one : now) one.done(journal_->wait(one.ticket));
    save_if_due();
    lock.lock();
  }
}

// Copying the state is cheap; storing it is not, and happens while others go on.
void StateWriter::save_if_due() {
  const auto now = std::chrono::steady_clock::now();
  if (!save_ || now - last_save_ < kBetweenSaves) return;
  save_(snapshot());
  last_save_ = std::chrono::steady_clock::now();
}

}  // namespace tofu::engine
