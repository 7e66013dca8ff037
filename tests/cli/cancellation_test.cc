#include "cli/cancellation.h"

#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <signal.h>

namespace tofu::cli {
namespace {

void wait_for(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

TEST(Cancellation, TheFirstSignalAsksEverythingToStop) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Cancellation cancellation;
    const auto listening = cancellation.listen();
    EXPECT_FALSE(cancellation.token().stop_requested());
    ::raise(signal);
    wait_for(cancellation.token());
    EXPECT_TRUE(cancellation.token().stop_requested());
  }
}

TEST(Cancellation, AnIgnoredHangupStaysIgnored) {
  ::signal(SIGHUP, SIG_IGN);  // as nohup starts a program
  {
    Cancellation cancellation;
    const auto listening = cancellation.listen();
    ::raise(SIGHUP);
    EXPECT_FALSE(cancellation.token().stop_requested());
  }
  EXPECT_EQ(::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

TEST(Cancellation, TheSecondSignalEndsTheProgram) {
  EXPECT_EXIT(
      {
        Cancellation cancellation;
        const auto listening = cancellation.listen();
        ::raise(SIGINT);
        wait_for(cancellation.token());
        ::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(Cancellation, WhereNothingListensTheFirstSignalEndsTheProgram) {
  EXPECT_EXIT(
      {
        Cancellation cancellation;
        { const auto listening = cancellation.listen(); }
        ::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST(Cancellation, OneWhoStopsListeningDoesNotDisturbTheOther) {
  Cancellation cancellation;
  const auto outer = cancellation.listen();
  { const auto inner = cancellation.listen(); }
  ::raise(SIGINT);
  wait_for(cancellation.token());
  EXPECT_TRUE(cancellation.token().stop_requested());
}

TEST(Cancellation, AStopHoldsForAllWhoListenLater) {
  EXPECT_EXIT(
      {
        Cancellation cancellation;
        cancellation.request_stop();
        const auto listening = cancellation.listen();
        ::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace tofu::cli
