// Whole runs on a mock provider: a configuration in memory is planned and applied, and what
// came of it is shown as rows of text.
//
// Every scenario is run with one thread and with many, and with work taken up in the order
// of arrival and in a random one: none of that may make a difference.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread.h"
#include "engine/apply.h"
#include "engine/plan.h"
#include "engine/state_writer.h"
#include "eval/validate.h"
#include "providers/builtin.h"
#include "syntax/ast.h"
#include "tests/engine/configured.h"
#include "tests/providers/mock_provider.h"

namespace tofu::engine {

// How a run takes up its work.
struct Schedule {
  unsigned threads;
  std::uint64_t shuffle;
};

inline void PrintTo(const Schedule& schedule, std::ostream* out) {
  *out << fmt::format("{} threads, shuffled by {}", schedule.threads, schedule.shuffle);
}

inline constexpr Schedule kSchedules[] = {{1, 0}, {2, 0}, {16, 0}, {1, 7}, {2, 11}, {16, 13}};

// Collects events as short sentences.
class EventLog final : public plans::EventSink {
 public:
  void on(const plans::Event& event) override;
  std::vector<std::string> all() const;
  // How objects were named, as "id=1", in the order of the events that named one.
  std::vector<std::string> labels() const;
  void clear();
  // Called for each sentence, before it is collected.
  std::function<void(const std::string&)> watch;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
  std::vector<std::string> labels_;
};

class MockSource final : public providers::ProviderSource {
 public:
  explicit MockSource(providers::MockCloud& cloud) : cloud_(cloud) {}
  std::unique_ptr<providers::Provider> open(const addrs::Provider& provider,
                                            diag::Diagnostics& diags) override;

 private:
  providers::MockCloud& cloud_;
};

class EngineRun : public Configured, public ::testing::WithParamInterface<Schedule> {
 protected:
  EngineRun() {
    schemas_ = &providers::mock_schemas();
    base::allow_stack(syntax::kTaskStack);  // so that this thread works along, as in the program
  }

  // Plans the root module `text` for the state that the last run left. What was reported is
  // in shown().
  const Planned& plan(const std::string& text, const PlanOptions& options = {});
  // The same for the destruction of everything.
  const Planned& plan_destroy(const std::string& text);
  // Carries out the plan that was made last.
  void apply(state::JournalWriter* journal = nullptr);
  // Both; nothing may be reported.
  void make(const std::string& text, const PlanOptions& options = {});
  void destroy(const std::string& text);

  // The plan: "create mock_thing.a", "delete mock_thing.b (reason)", without what stays.
  std::vector<std::string> changes() const { return texts_of(planned_->plan.changes); }
  std::vector<std::string> drift() const { return texts_of(planned_->plan.drift); }
  // The state: "mock_thing.a NAME", "mock_thing.a NAME tainted", "mock_thing.a NAME deposed".
  std::vector<std::string> objects() const;
  const state::Object* object(std::string_view address) const {
    return state_.object(instance(address));
  }
  // The names of what exists outside.
  std::vector<std::string> outside() const;
  // Calls to the provider that begin with this word.
  std::vector<std::string> calls(std::string_view word) const;
  // Where the call is among all; a call that was not made fails the test.
  std::size_t when(std::string_view call) const;
  // An attribute that a change has before or after, as text.
  std::string after(std::string_view address, std::string_view attribute) const;
  const plans::ResourceChange* change(std::string_view address) const;
  // That of the last plan.
  const eval::Program& program() const { return *program_; }

  providers::MockCloud cloud_;
  EventLog events_;
  state::State state_;
  std::map<std::string, value::Value> variables_;
  std::stop_source stop_;
  unsigned parallelism_ = kDefaultParallelism;
  std::optional<Planned> planned_;

 private:
  RunInputs inputs();
  std::vector<std::string> texts_of(const std::vector<plans::ResourceChange>& changes) const;

  MockSource source_{cloud_};
  eval::RunInfo facts_;
  std::optional<eval::Program> program_;
};

}  // namespace tofu::engine
