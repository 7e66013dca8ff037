#include "base/process.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace tofu::base {
namespace {

GuardedProcess shell(std::string script) { return {{"sh", "-c", std::move(script)}}; }

std::string problem(const GuardedProcess& process) {
  const auto result = run_guarded(process);
  return result ? "" : result.error().what;
}

TEST(GuardedProcess, BothOutputsAndTheStatusAreCollected) {
  const auto result = run_guarded(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "err\n");
  EXPECT_EQ(result->exit_status, 3);
}

TEST(GuardedProcess, TheInputIsReadToItsEnd) {
  GuardedProcess process{{"cat"}};
  process.input = "one\ntwo";
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "one\ntwo");
}

TEST(GuardedProcess, ASignalCountsFromOneHundredTwentyEight) {
  const auto result = run_guarded(shell("kill -TERM $$"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_status, 128 + 15);
}

TEST(GuardedProcess, ArgumentsAreNeverReadByAShell) {
  const auto result = run_guarded({{"printf", "%s", "$(echo no); `no` 'no' \"no\" ; no"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "$(echo no); `no` 'no' \"no\" ; no");
}

TEST(GuardedProcess, TheEnvironmentIsOursWithAdditionsAndRemovals) {
  ::setenv("TOFU_KEPT", "1", 1);
  ::setenv("TOFU_TAKEN", "2", 1);
  ::setenv("TOFU_CHANGED", "3", 1);
  GuardedProcess process = shell("echo \"$TOFU_KEPT-$TOFU_TAKEN-$TOFU_CHANGED-$TOFU_NEW\"");
  process.environment = {{"TOFU_CHANGED", "4"}, {"TOFU_NEW", "5"}};
  process.without = {"TOFU_TAKEN"};
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "1--4-5\n");
}

TEST(GuardedProcess, RunsInTheDirectory) {
  GuardedProcess process{{"pwd"}};
  process.directory = "/usr";
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "/usr\n");
}

TEST(GuardedProcess, AMissingProgramIsAnError) {
  EXPECT_NE(problem({{"no-such-program-anywhere"}}), "");
}

TEST(GuardedProcess, TooMuchOutputEndsIt) {
  GuardedProcess process{{"yes"}};
  process.output_limit = 100'000;
  EXPECT_EQ(problem(process), "it printed too much");

  std::size_t seen = 0;
  process.on_output = [&](std::string_view text) { return (seen += text.size()) < 1'000'000; };
  EXPECT_EQ(problem(process), "it printed too much");
  EXPECT_GE(seen, 1'000'000u);
}

TEST(GuardedProcess, OfEndlessErrorsTheEndIsKept) {
  GuardedProcess process = shell("yes | head -c 1000000 >&2; echo last words >&2");
  process.error_limit = 1000;
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_LE(result->errors.size(), 2000u);
  EXPECT_TRUE(result->errors.ends_with("last words\n"));
}

TEST(GuardedProcess, ADeadlineEndsItAndAllThatItStarted) {
  GuardedProcess process = shell("sleep 1000 & sleep 1000");
  process.deadline = std::chrono::milliseconds(100);
  EXPECT_EQ(problem(process), "it took too long");
}

TEST(GuardedProcess, ItGoesOnAsLongAsItMay) {
  int asked = 0;
  GuardedProcess process{{"sleep", "1000"}};
  process.may_go_on = [&] { return ++asked < 2; };
  const auto done = run_guarded(process);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().what, "it did too much");
  EXPECT_EQ(asked, 2);
}

TEST(GuardedProcess, CancellingEndsIt) {
  std::atomic<bool> cancelled = false;
  GuardedProcess process = shell("sleep 1000");
  process.cancelled = &cancelled;
  std::thread later([&] { cancelled = true; });
  EXPECT_EQ(problem(process), "interrupted");
  later.join();
}

TEST(GuardedProcess, AProgramLeftRunningIsNotWaitedFor) {
  const auto result = run_guarded(shell("sleep 20 & echo done; exit 0"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "done\n");
}

TEST(GuardedProcess, FilesItWritesAreLimited) {
  // The limit is set on a running program, so it has to wait for it a moment.
  GuardedProcess process = shell(
      "f=$(mktemp); sleep 0.1; head -c 1000000 /dev/zero 2>/dev/null >\"$f\"; wc -c <\"$f\"; "
      "rm -f \"$f\"");
  process.file_limit = 4096;
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "4096\n");
}

TEST(GuardedProcess, MemoryIsLimited) {
  // `tail` keeps a line until it knows whether another follows.
  GuardedProcess process = shell("sleep 0.1; head -c 300000000 /dev/zero | tail -n 1 | wc -c");
  process.memory_limit = 100'000'000;
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_NE(result->output, "300000000\n");
}

}  // namespace
}  // namespace tofu::base
