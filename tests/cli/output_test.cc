// Text on its way to a descriptor or a string, from several threads.
#include "cli/output.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/descriptor.h"
#include "base/file.h"

namespace tofu::cli {
namespace {

constexpr int kThreads = 4;
constexpr int kLines = 2000;

std::string line_of(int thread) {
  return std::string(20 + static_cast<std::size_t>(thread), static_cast<char>('a' + thread));
}

void write_from_threads(Output& out) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&out, text = line_of(thread)] {
      for (int line = 0; line < kLines; ++line) {
        out.line(text);
        if (line % 100 == 0) out.flush();
      }
    });
  }
}

// How many lines came from each thread, and from no single one.
struct Counts {
  std::vector<int> whole = std::vector<int>(kThreads);
  int mixed = 0;
};

Counts count_lines(std::string_view text) {
  Counts counts;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const int thread = line.empty() ? kThreads : line.front() - 'a';
    if (thread >= 0 && thread < kThreads && line == line_of(thread)) {
      ++counts.whole[static_cast<std::size_t>(thread)];
    } else {
      ++counts.mixed;
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return counts;
}

void expect_whole_lines(std::string_view text) {
  const Counts counts = count_lines(text);
  EXPECT_EQ(counts.mixed, 0);
  EXPECT_EQ(counts.whole, std::vector<int>(kThreads, kLines));
}

TEST(Output, KeepsLinesOfSeveralThreadsWholeInAFile) {
  const base::Descriptor file(::memfd_create("output", MFD_CLOEXEC));
  ASSERT_TRUE(file.is_open());
  {
    Output out(file.number());
    write_from_threads(out);
  }
  ASSERT_EQ(::lseek(file.number(), 0, SEEK_SET), 0);
  const auto text = base::read_descriptor(file.number());
  ASSERT_TRUE(text);
  expect_whole_lines(*text);
}

TEST(Output, KeepsLinesOfSeveralThreadsWholeInMemory) {
  std::string text;
  Output out(text);
  write_from_threads(out);
  expect_whole_lines(text);
}

}  // namespace
}  // namespace tofu::cli
