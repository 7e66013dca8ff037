#include "base/child_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace tofu::base {
namespace {

// Everything until the end.
std::string read_all(int descriptor) {
  std::string all;
  char buffer[256];
  while (true) {
    pollfd wait{descriptor, POLLIN, 0};
    if (::poll(&wait, 1, 10000) <= 0) return all + "(no end)";
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count <= 0) return all;
    all.append(buffer, static_cast<std::size_t>(count));
  }
}

int wait_for(ChildProcess& child) {
  while (true) {
    if (const auto status = child.ended()) return *status;
    std::this_thread::yield();
  }
}

TEST(ChildProcess, RunsBesideUsWithWhatIsAddedToTheEnvironment) {
  auto child = ChildProcess::start({"sh", "-c", "echo $FOO$HOME; echo bad >&2; exit 3"},
                                   {{"FOO", "foo"}, {"HOME", "-home"}});
  ASSERT_TRUE(child);
  EXPECT_EQ(read_all(child->output()), "foo-home\n");
  EXPECT_EQ(read_all(child->errors()), "bad\n");
  EXPECT_EQ(wait_for(*child), 3);
}

TEST(ChildProcess, IsKilledWithAllThatItStarted) {
  auto child = ChildProcess::start({"sh", "-c", "sleep 1000 & sleep 1000"}, {});
  ASSERT_TRUE(child);
  EXPECT_FALSE(child->ended());
  child->kill();
  EXPECT_EQ(read_all(child->output()), "");  // nobody holds it open
  EXPECT_EQ(wait_for(*child), 128 + 9);
}

TEST(ChildProcess, IsKilledWhenItGoesOutOfScope) {
  int output = -1;
  {
    auto child = ChildProcess::start({"sleep", "1000"}, {});
    ASSERT_TRUE(child);
    output = ::dup(child->output());
  }
  EXPECT_EQ(read_all(output), "");
  ::close(output);
}

TEST(ChildProcess, ThatIsNotThereCannotBeStarted) {
  EXPECT_FALSE(ChildProcess::start({"/nowhere/at/all"}, {}));
}

}  // namespace
}  // namespace tofu::base
