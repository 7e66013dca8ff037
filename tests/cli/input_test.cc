#include "cli/input.h"

#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace tofu::cli {
namespace {

using Line = std::optional<std::string>;

Line next(Input& input, const std::stop_token& stop = {}) {
  auto line = input.read_line(stop);
  EXPECT_TRUE(line.ok());
  return line.ok() ? *line : Line();
}

TEST(Input, LinesAreReadOneByOne) {
  Input input(std::string("one\n\nthree"));
  EXPECT_EQ(next(input), "one");
  EXPECT_EQ(next(input), "");
  EXPECT_EQ(next(input), "three");
  EXPECT_EQ(next(input), std::nullopt);
}

TEST(Input, WhatIsLeftAfterALineCanBeReadAsAWhole) {
  Input input(std::string("one\ntwo\nthree\n"));
  EXPECT_EQ(next(input), "one");
  EXPECT_EQ(*input.read_all(), "two\nthree\n");
}

class Pipe : public ::testing::Test {
 protected:
  Pipe() { EXPECT_EQ(::pipe(ends_), 0); }
  ~Pipe() override {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  void type(std::string_view text) {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  int ends_[2] = {-1, -1};
};

TEST_F(Pipe, ALineIsEnoughWhileMoreMayBeTyped) {
  Input input(ends_[0]);
  type("yes\nmore");
  EXPECT_EQ(next(input), "yes");
}

TEST_F(Pipe, AStopEndsTheWaitForALine) {
  Input input(ends_[0]);
  std::stop_source source;
  type("not a whole line");
  std::thread later([&] { source.request_stop(); });
  EXPECT_EQ(next(input, source.get_token()), std::nullopt);
  later.join();
}

}  // namespace
}  // namespace tofu::cli
