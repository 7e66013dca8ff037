// What a run stores on its way.
#include "engine/state_writer.h"

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "addrs/parse.h"
#include "addrs/provider.h"
#include "addrs/provider_config.h"
#include "addrs/text.h"
#include "base/runtime.h"
#include "diag/diagnostic.h"
#include "state/object.h"
#include "state/state.h"

namespace tofu::engine {
namespace {

using std::chrono::seconds;

// Its clock and its worker go on when the test says so.
class SteppedRuntime final : public base::Runtime {
 public:
  std::chrono::steady_clock::time_point now() override { return now_; }
  std::chrono::system_clock::time_point date() override { return {}; }
  std::unique_ptr<base::Worker> start_worker(std::function<void()> work,
                                             std::chrono::milliseconds period) override {
    work_ = std::move(work);
    period_ = period;
    return std::make_unique<IdleWorker>();
  }
  base::Thread start_or_run(std::size_t stack_bytes, std::function<void()> work) override {
    return base::system_runtime().start_or_run(stack_bytes, std::move(work));
  }
  void wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock) override {
    base::system_runtime().wait(condition, lock);
  }

  void pass(seconds time) {
    now_ += time;
    work_();
  }
  std::chrono::milliseconds period() const { return period_; }

 private:
  struct IdleWorker final : base::Worker {
    void notify() override {}
  };
  std::chrono::steady_clock::time_point now_;
  std::function<void()> work_;
  std::chrono::milliseconds period_{0};
};

addrs::AbsResourceInstance thing(const std::string& name) {
  diag::Diagnostics diags;
  return *addrs::parse_text("mock_thing." + name, addrs::parse_abs_resource_instance, diags);
}

void note(StateWriter& writer, const std::string& name) {
  const addrs::AbsProviderInstance provider{{{}, addrs::default_provider("mock")}};
  writer.note({thing(name), {}, provider}, state::Object(state::ObjectFields{}));
}

TEST(StateWriter, StoresTheStateEveryTwentySecondsWhileTheRunLasts) {
  SteppedRuntime runtime;
  std::vector<state::State> saved;
  StateWriter writer(
      {}, nullptr, [&](const state::State& now) { saved.push_back(now); }, runtime);
  EXPECT_EQ(runtime.period(), seconds(20));

  note(writer, "a");
  runtime.pass(seconds(19));
  EXPECT_TRUE(saved.empty());
  runtime.pass(seconds(1));
  ASSERT_EQ(saved.size(), 1U);
  EXPECT_NE(saved.back().object(thing("a")), nullptr);

  note(writer, "b");
  runtime.pass(seconds(19));
  EXPECT_EQ(saved.size(), 1U);
  runtime.pass(seconds(1));
  ASSERT_EQ(saved.size(), 2U);
  EXPECT_NE(saved.back().object(thing("b")), nullptr);
}

}  // namespace
}  // namespace tofu::engine
