#include "process/child_process.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary_directory.h"
#include "process/program_file.h"

namespace tofu::process {
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
  EXPECT_EQ(read_all(child->output()), "");  // no process holds it open
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

// A script that prints `word`, as a file.
std::string script(const std::string& directory, const std::string& word) {
  std::string path = directory + "/program";
  std::filesystem::remove(path);
  EXPECT_TRUE(base::write_file(path, "#!/bin/sh\necho " + word + "\n", 0755));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(ChildProcess, StartsTheFileThatWasOpened) {
  const auto directory = base::TemporaryDirectory::make("/tmp", "child-process");
  ASSERT_TRUE(directory);
  const std::string path = script(directory->path(), "checked");
  const auto program = ProgramFile::open(path);
  ASSERT_TRUE(program) << program.error().what;
  {
    auto child = ChildProcess::start({path}, {}, program->get());
    ASSERT_TRUE(child) << child.error().what;
    EXPECT_EQ(read_all(child->output()), "checked\n");
  }
  std::filesystem::rename(path, path + "-before");
  script(directory->path(), "another");
  // The other file is not started in its place.
  const auto child = ChildProcess::start({path}, {}, program->get());
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().what, "it was changed after it was checked");
}

TEST(ChildProcess, DoesNotStartAFileThatWasWrittenToAfterItWasOpened) {
  const auto directory = base::TemporaryDirectory::make("/tmp", "child-process");
  ASSERT_TRUE(directory);
  const std::string path = script(directory->path(), "checked");
  const auto program = ProgramFile::open(path);
  ASSERT_TRUE(program);
  std::ofstream(path) << "#!/bin/sh\necho edited\n";
  const auto child = ChildProcess::start({path}, {}, program->get());
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().what, "it was changed after it was checked");
}

TEST(ChildProcess, StartsAProgramThatIsNoScriptFromItsFile) {
  const auto program = ProgramFile::open("/bin/echo");
  ASSERT_TRUE(program);
  auto child = ChildProcess::start({"/nowhere/echo", "words"}, {}, program->get());
  ASSERT_TRUE(child) << child.error().what;
  EXPECT_EQ(read_all(child->output()), "words\n");
}

}  // namespace
}  // namespace tofu::process
