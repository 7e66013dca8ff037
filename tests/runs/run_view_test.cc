#include "runs/run_view.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/test_directory.h"

namespace tofu::runs {
namespace {

// Made where it is used, because a terminal only refers to its parts.
struct Seen {
  cli::TestDirectory test;
  std::string out;
  cli::Output sink{out};
  cli::Input in{std::string()};
  diag::SourceMap sources;
  cli::Terminal terminal{in, sink, sink, test.environment, sources};
};

TEST(RunView, LinesOfManyThreadsComeOnceAndWholeAndInTheOrderOfEach) {
  Seen seen;
  RunView view(seen.terminal, seen.test.environment, RunFlags());
  constexpr int kThreads = 4;
  constexpr int kLines = 250;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kLines; ++i) view.message(fmt::format("{} {}", thread, i));
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::vector<int> next(kThreads);
  std::istringstream lines(seen.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    int thread = -1;
    int number = -1;
    ASSERT_TRUE(std::istringstream(line) >> thread >> number) << line;
    ASSERT_EQ(line, fmt::format("{} {}", thread, number));
    EXPECT_EQ(number, next[static_cast<std::size_t>(thread)]++);
  }
  EXPECT_EQ(std::ranges::count(next, kLines), kThreads);
}

}  // namespace
}  // namespace tofu::runs
