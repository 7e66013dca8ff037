#include "commands/interrupts.h"

#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <signal.h>

namespace tofu::commands {
namespace {

void wait_for(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

TEST(Interrupts, TheFirstSignalAsksEverythingToStop) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Interrupts interrupts;
    const auto listening = interrupts.listen();
    EXPECT_FALSE(interrupts.token().stop_requested());
    ::raise(signal);
    wait_for(interrupts.token());
    EXPECT_TRUE(interrupts.token().stop_requested());
  }
}

TEST(Interrupts, TheSecondSignalEndsTheProgram) {
  EXPECT_EXIT(
      {
        Interrupts interrupts;
        const auto listening = interrupts.listen();
        ::raise(SIGINT);
        wait_for(interrupts.token());
        ::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(Interrupts, WhereNothingListensTheFirstSignalEndsTheProgram) {
  EXPECT_EXIT(
      {
        Interrupts interrupts;
        { const auto listening = interrupts.listen(); }
        ::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST(Interrupts, OneWhoStopsListeningDoesNotDisturbTheOther) {
  Interrupts interrupts;
  const auto outer = interrupts.listen();
  { const auto inner = interrupts.listen(); }
  ::raise(SIGINT);
  wait_for(interrupts.token());
  EXPECT_TRUE(interrupts.token().stop_requested());
}

TEST(Interrupts, AStopHoldsForAllWhoListenLater) {
  EXPECT_EXIT(
      {
        Interrupts interrupts;
        interrupts.request_stop();
        const auto listening = interrupts.listen();
        ::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace tofu::commands
