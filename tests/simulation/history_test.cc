#include "tests/simulation/history.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "base/thread.h"
#include "syntax/ast.h"
#include "tests/simulation/world.h"

namespace tofu::simulation {
namespace {

class SimulatedHistory : public testing::Test {
 protected:
  SimulatedHistory() { base::allow_stack(syntax::kTaskStack); }

  // Lineages, locks and deposed objects have names that no seed decides.
  static std::string without_names(const std::string& log) {
    std::string text;
    for (std::size_t at = 0; at < log.size();) {
      const std::size_t end = std::min(log.find_first_not_of("0123456789abcdef-", at), log.size());
      if (end - at >= 8) {
        text += '*';
      } else {
        text += log.substr(at, end - at);
      }
      if (end < log.size()) text += log[end];
      at = end + 1;
    }
    return text;
  }

  static std::string log_of(const History& history) {
    std::string log;
    Tally tally;
    EXPECT_EQ(violation_of(history, tally, &log), std::nullopt) << describe(history);
    return log;
  }
};

// The first of them, always the same. `./dev simulate` plays others.
TEST_F(SimulatedHistory, NothingIsLostInAThousandHistories) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const auto violation = violation_of(history_of(seed), tally);
    ASSERT_FALSE(violation) << "seed " << seed << ": " << *violation << "\n"
                            << describe(history_of(seed));
  }
  // Otherwise they show nothing.
  EXPECT_GT(tally.incidents, 1000u);
  EXPECT_GT(tally.objects, 2000u);
}

TEST_F(SimulatedHistory, EverythingFollowsFromTheHistory) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const History history = history_of(seed);
    EXPECT_EQ(without_names(log_of(history)), without_names(log_of(history))) << seed;
  }
}

TEST_F(SimulatedHistory, AKilledRunIsCompletedByTheNextOne) {
  History history;
  Step step;
  step.config[0] = {.count = 2};
  step.incidents = {{IncidentKind::Kill, 60}};
  history.steps = {step};
  const std::string log = log_of(history);
  EXPECT_NE(log.find("which was killed"), std::string::npos);
  EXPECT_NE(log.find("Completing an interrupted run"), std::string::npos) << log;
}

// The run that completes the state must not trust names that only memory has.
TEST_F(SimulatedHistory, PowerLossAfterARecoveryForgetsNothingAndBringsNothingBack) {
  for (const bool is_remote : {false, true}) {
    for (unsigned kill = 30; kill < 90; kill += 3) {
      for (unsigned loss = 10; loss < 60; loss += 5) {
        Step first;
        first.config[0] = {.count = 2};
        first.incidents = {{IncidentKind::Kill, kill}};
        Step second;
        second.seed = kill * loss;
        second.incidents = {{IncidentKind::PowerLoss, loss}};
        Tally tally;
        const History history{.is_remote = is_remote, .steps = {first, second}};
        EXPECT_EQ(violation_of(history, tally), std::nullopt) << describe(history);
      }
    }
  }
}

TEST_F(SimulatedHistory, AnotherProcessFindsTheLock) {
  for (const bool is_remote : {false, true}) {
    History history{.is_remote = is_remote};
    Step step;
    step.config[0] = {.count = 2};
    step.incidents = {{IncidentKind::Intruder, 30}};
    history.steps = {step};
    EXPECT_NE(log_of(history).find("Error acquiring the state lock"), std::string::npos);
  }
}

TEST_F(SimulatedHistory, HistoriesHaveEveryKindOfIncident) {
  std::set<IncidentKind> kinds;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    for (const Step& step : history_of(seed).steps) {
      for (const Incident& incident : step.incidents) kinds.insert(incident.kind);
    }
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(kIncidentKinds));
}

TEST(Shorten, LeavesWhatTheFailureNeeds) {
  History history = history_of(3);
  history.is_remote = false;
  history.steps.resize(3);
  history.steps[1].incidents = {{IncidentKind::Stop, 4}, {IncidentKind::Kill, 7}};
  const auto fails = [](const History& tried) {
    for (const Step& step : tried.steps) {
      for (const Incident& incident : step.incidents) {
        if (incident.kind == IncidentKind::Kill && incident.at == 7) return true;
      }
    }
    return false;
  };
  const History shortest = shorten(history, fails);
  ASSERT_EQ(shortest.steps.size(), 1u);
  ASSERT_EQ(shortest.steps[0].incidents.size(), 1u);
  EXPECT_EQ(describe(shortest),
            "The state is in a file.\n- apply: nothing\n    the process is killed at moment 7\n");
}

}  // namespace
}  // namespace tofu::simulation
