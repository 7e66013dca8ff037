#include "process/process.h"

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/thread.h"

namespace tofu::process {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(GuardedProcess, AnInterruptedProgramHasTimeToEnd) {
  std::stop_source stop;
  GuardedProcess process =
      shell("trap 'echo cleaned up; exit 3' INT; echo ready; sleep 1000 & wait");
  process.stop = stop.get_token();
  process.grace = std::chrono::minutes(2);
  process.waits_for_all = true;
  std::string seen;
  process.on_output = [&](std::string_view text) {
    seen += text;
    if (seen == "ready\n") stop.request_stop();
    return true;
  };
  const auto result = run_guarded(process);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->exit_status, 3);
  EXPECT_EQ(seen, "ready\ncleaned up\n");
}

TEST(GuardedProcess, AnInterruptedProgramThatGoesOnIsKilled) {
  std::stop_source stop;
  GuardedProcess process = shell("trap '' INT; echo ready; sleep 1000");
  process.stop = stop.get_token();
  process.grace = std::chrono::milliseconds(1);
  process.on_output = [&](std::string_view) { return stop.request_stop(), true; };
  EXPECT_EQ(problem(process), "interrupted");
}

TEST(GuardedProcess, JoinedOutputsKeepTheirOrder) {
  GuardedProcess process = shell("echo 1; echo 2 >&2; echo 3; echo 4 >&2");
  process.joins_errors = true;
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "1\n2\n3\n4\n");
  EXPECT_EQ(result->errors, "");
}

TEST(GuardedProcess, WhatAProgramLeavesRunningIsHeardIfAsked) {
  GuardedProcess process = shell(
      "(first=$$; while kill -0 $first 2>/dev/null; do sleep 0.01; done; echo late) &\necho early");
  process.waits_for_all = true;
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "early\nlate\n");
}

// A program that prints something, waits until its silence was noticed, and then prints what
// it is answered.
class AnsweredProcess {
 public:
  AnsweredProcess(const std::string& prints_first, std::string answer)
      : pipe_(testing::TempDir() + "tofu_answer_" + std::to_string(::getpid())),
        process_(shell(prints_first + "; read answer < '" + pipe_ + "'; echo \" $answer\"")) {
    EXPECT_EQ(::mkfifo(pipe_.c_str(), 0600), 0);
    process_.on_output = [this](std::string_view text) {
      heard_ += text;
      return true;
    };
    process_.on_quiet = [this, answer = std::move(answer)] {
      if (noticed_ || heard_.empty()) return;
      noticed_ = true;
      std::ofstream(pipe_) << answer << '\n';
      if (on_answered) on_answered(heard_);
    };
  }
  AnsweredProcess(const AnsweredProcess&) = delete;
  AnsweredProcess& operator=(const AnsweredProcess&) = delete;
  ~AnsweredProcess() { ::unlink(pipe_.c_str()); }

  // All that it printed.
  std::string run() {
    const auto result = run_guarded(process_);
    EXPECT_TRUE(result && result->exit_status == 0);
    EXPECT_TRUE(noticed_);
    return heard_;
  }

  // Gets what it printed before, in the call that noticed its silence.
  std::function<void(const std::string&)> on_answered = {};

 private:
  std::string pipe_;
  GuardedProcess process_;
  std::string heard_;
  bool noticed_ = false;
};

TEST(GuardedProcess, SilenceIsToldSoThatPartsOfLinesCanBeShown) {
  EXPECT_EQ(AnsweredProcess("printf part", "rest").run(), "part rest\n");
}

// Whether the process has ended, and its parent has not asked yet how.
bool is_over(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && text.compare(name_end + 2, 1, "Z") == 0;
}

// It prints and ends between two looks at its output. Its parent, the watcher, is what ends last.
TEST(GuardedProcess, WhatIsPrintedAtTheVeryEndIsNotLost) {
  AnsweredProcess process("printf $PPID", "last");
  process.on_answered = [](const std::string& watcher) {
    while (!is_over(watcher)) std::this_thread::yield();
  };
  EXPECT_TRUE(process.run().ends_with(" last\n"));
}

TEST(GuardedProcess, TheInputIsReadToItsEnd) {
  GuardedProcess process{{"cat"}};
  process.input = "one\ntwo";
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "one\ntwo");
}

TEST(GuardedProcess, TheInputCanFollowFromTheOutput) {
  GuardedProcess process =
      shell("echo ready; while read line; do echo \"<$line>\"; done; echo the end");
  std::string heard;
  int said = 0;
  process.on_output = [&](std::string_view text) {
    heard += text;
    return true;
  };
  process.next_input = [&]() -> GuardedProcess::Input {
    if (said == 0 && heard == "ready\n") return ++said, GuardedProcess::Input{"one\n"};
    if (said == 1 && heard.ends_with("<one>\n"))
      return ++said, GuardedProcess::Input{"two\n", true};
    return {};
  };
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_EQ(heard, "ready\n<one>\n<two>\nthe end\n");
}

TEST(GuardedProcess, LongInputArrivesWhole) {
  GuardedProcess process{{"wc", "-c"}};
  int pieces = 0;
  process.next_input = [&] {
    return GuardedProcess::Input{std::string(1 << 20, 'x'), ++pieces == 8};
  };
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "8388608\n");
}

TEST(GuardedProcess, AProgramThatReadsNothingIsNoProblem) {
  GuardedProcess process = shell("exec <&-; echo done");
  process.next_input = [] { return GuardedProcess::Input{std::string(1 << 20, 'x')}; };
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "done\n");
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
  std::stop_source stop;
  GuardedProcess process = shell("sleep 1000");
  process.stop = stop.get_token();
  std::thread later([&] { stop.request_stop(); });
  EXPECT_EQ(problem(process), "interrupted");
  later.join();
}

TEST(GuardedProcess, AProgramLeftRunningIsNotWaitedFor) {
  const auto result = run_guarded(shell("sleep 20 & echo done; exit 0"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "done\n");
}

// The numbers of the descriptors that a program has, without that of the listing.
std::string descriptors() {
  const auto result = run_guarded({{"sh", "-c", "echo /proc/$$/fd/*"}});
  if (!result) return result.error().what;
  std::string numbers;
  for (std::size_t at = 0; (at = result->output.find("/fd/", at)) != std::string::npos; ++at) {
    numbers += result->output[at + 4];
    numbers += ' ';
  }
  return numbers;
}

TEST(GuardedProcess, ItInheritsNothingButTheThreeStandardFiles) {
  const std::string before = descriptors();
  const int left_open = ::open("/dev/null", O_RDONLY);
  ASSERT_GE(left_open, 0);
  EXPECT_EQ(descriptors(), before);
  ::close(left_open);
  EXPECT_TRUE(before.starts_with("0 1 2 ")) << before;
}

std::size_t open_descriptors() {
  const auto entries = base::list_directory("/proc/self/fd");
  return entries ? entries->size() : 0;
}

TEST(GuardedProcess, NoDescriptorIsLeftOpenHoweverItEnds) {
  const std::size_t before = open_descriptors();
  (void)run_guarded(shell("exit 1"));
  (void)run_guarded({{"no-such-program-anywhere"}});
  (void)run_process({"no-such-program-anywhere"});
  (void)run_process({"cat", "{0}"}, std::array{std::string_view("text")});
  // Too few numbers are free for all that is needed, one less each time.
  rlimit usual{};
  ::getrlimit(RLIMIT_NOFILE, &usual);
  for (rlim_t free = 0; free < 8; ++free) {
    const rlimit few{before - 1 + free, usual.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    (void)run_guarded(shell("exit 1"));
    (void)run_process({"cat", "{0}"}, std::array{std::string_view("text")});
    ::setrlimit(RLIMIT_NOFILE, &usual);
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(GuardedProcess, ItAndWhatItStartedEndWithTheProcessThatStartedIt) {
  // A process of its own starts a program, which starts another, and is killed.
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t starter = ::fork();
  if (starter == 0) {
    GuardedProcess process = shell("sleep 1000 & echo ready; sleep 1000");
    process.on_output = [&](std::string_view) { return ::write(pipe_ends[1], "r", 1) == 1; };
    (void)run_guarded(process);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(pipe_ends[0], &byte, 1), 1);
  const auto children = [](pid_t of) {
    const std::string number = std::to_string(of);
    const auto text = base::read_file("/proc/" + number + "/task/" + number + "/children");
    std::vector<pid_t> found;
    std::istringstream words(text ? *text : std::string());
    for (pid_t each = 0; words >> each;) found.push_back(each);
    return found;
  };
  std::vector<pid_t> all = children(starter);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const pid_t each : children(all[i])) all.push_back(each);
  }
  ASSERT_GE(all.size(), 3u);
  ::kill(starter, SIGKILL);
  ASSERT_EQ(::waitpid(starter, nullptr, 0), starter);
  for (const pid_t each : all) {
    // Gone, or a zombie of its new parent.
    const auto is_dead = [&] {
      const auto stat = base::read_file("/proc/" + std::to_string(each) + "/stat");
      return !stat || stat->find(") Z") != std::string::npos ||
             stat->find(") X") != std::string::npos;
    };
    while (!is_dead()) std::this_thread::yield();
  }
  for (const int end : pipe_ends) ::close(end);
}

TEST(GuardedProcess, FilesItWritesAreLimited) {
  GuardedProcess process = shell(
      "f=$(mktemp); head -c 1000000 /dev/zero 2>/dev/null >\"$f\"; wc -c <\"$f\"; "
      "rm -f \"$f\"");
  process.file_limit = 4096;
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "4096\n");
}

TEST(GuardedProcess, MemoryIsLimited) {
  // `tail` keeps a line until it knows whether another follows.
  GuardedProcess process = shell("head -c 300000000 /dev/zero | tail -n 1 | wc -c");
  process.memory_limit = 100'000'000;
  const auto result = run_guarded(process);
  ASSERT_TRUE(result);
  EXPECT_NE(result->output, "300000000\n");
}

class LogLines final : public base::LogSink {
 public:
  void write(base::LogLevel, std::string_view text) override { lines.emplace_back(text); }
  std::vector<std::string> lines;
};

TEST(GuardedProcess, ProgramsAreLoggedWithoutTheirArgumentsAndVariables) {
  LogLines sink;
  GuardedProcess process{{"sh", "-c", "exit 3", "hush"}};
  process.environment = {{"PASSWORD", "hush"}};
  process.input = "hush";
  process.log = base::Log(sink, base::LogLevel::Debug);
  ASSERT_TRUE(run_guarded(process));
  EXPECT_THAT(sink.lines,
              ElementsAre(AllOf(HasSubstr("Started sh"), Not(HasSubstr("hush"))),
                          AllOf(HasSubstr("ended with status 3"), Not(HasSubstr("hush")))));
}

TEST(GuardedProcess, ProgramsHaveTheUsualStackLimit) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_STACK, &before), 0);
  const std::size_t more = base::own_stack() + (std::size_t{8} << 20);
  if (before.rlim_max < more) GTEST_SKIP() << "the system allows no more stack here";
  base::allow_stack(more);
  const auto ended = run_process({"sh", "-c", "ulimit -s"});
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->output, std::to_string(before.rlim_cur / 1024) + "\n");
  ASSERT_EQ(::setrlimit(RLIMIT_STACK, &before), 0);
}

}  // namespace
}  // namespace tofu::process
