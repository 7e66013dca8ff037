#include "backends/local.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "backends/rescue.h"
#include "base/file.h"
#include "state/state_file.h"
#include "tests/base/failing_disk.h"

namespace tofu::backends {
namespace {

namespace fs = std::filesystem;

// In a directory of its own, which is the working directory meanwhile.
class LocalTest : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    directory_ = fs::path(testing::TempDir()) /
                 ("local-" + std::to_string(::getpid()) + "-" +
                  testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    fs::current_path(directory_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(directory_);
  }

  static std::unique_ptr<Store> open(LocalSettings settings = {},
                                     const std::string& workspace = "default") {
    settings.version = "1.12.6";
    diag::Diagnostics diags;
    return make_local_backend(settings, state::no_encryption())->open(workspace, diags);
  }
  static state::State with_output(int number) {
    state::State state;
    state.outputs["n"] = {value::Value::integer(number)};
    return state;
  }
  static std::string text(const std::string& path) {
    const auto found = base::read_file(path);
    return found ? *found : "<" + found.error().what + ">";
  }
  static std::vector<std::string> names() {
    std::vector<std::string> names;
    const auto entries = base::list_directory(".");
    for (const auto& entry : *entries) names.push_back(entry.name);
    return names;
  }
  static LockInfo info() {
    return {"11111111-2222-3333-4444-555555555555",
            "OperationTypeApply",
            "",
            "me@here",
            "1.12.6",
            "2026-01-02T03:04:05Z",
            ""};
  }

  fs::path before_;
  fs::path directory_;
  diag::Diagnostics diags_;
};

// What a child process answers with its exit status.
template <class Body>
int in_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// As Go does it: a lock of the process.
bool go_lock(int descriptor) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_SETLK, &whole) == 0;
}

TEST_F(LocalTest, PathsFollowWorkspaceAndOptions) {
  const auto paths = [](LocalSettings settings, const std::string& workspace) {
    const LocalPaths found = local_paths(settings, workspace);
    return found.read + " " + found.write + " " + found.backup;
  };
  EXPECT_EQ(paths({}, "default"), "terraform.tfstate terraform.tfstate terraform.tfstate.backup");
  EXPECT_EQ(paths({.path = "p"}, "default"), "p p p.backup");
  EXPECT_EQ(paths({.path = "p", .workspace_directory = "d"}, "w"),
            "d/w/terraform.tfstate d/w/terraform.tfstate d/w/terraform.tfstate.backup");
  EXPECT_EQ(paths({.state_override = "s"}, "w"), "s s s.backup");
  EXPECT_EQ(paths({.state_override = "s", .state_out_override = "o"}, "w"), "s o o.backup");
  EXPECT_EQ(paths({.backup_override = "b"}, "default"), "terraform.tfstate terraform.tfstate b");
  EXPECT_EQ(paths({.backup_override = "-"}, "default"), "terraform.tfstate terraform.tfstate ");
}

TEST_F(LocalTest, NoFileAndAnEmptyFileAreNoState) {
  EXPECT_FALSE(open()->read(diags_)->state);
  ASSERT_TRUE(base::write_file("terraform.tfstate", ""));
  EXPECT_FALSE(open()->read(diags_)->state);
  ASSERT_TRUE(base::write_file("terraform.tfstate", " "));
  EXPECT_FALSE(open()->read(diags_));
  EXPECT_TRUE(diags_.has_errors());
}

TEST_F(LocalTest, TheSerialGoesUpOnlyWithTheContent) {
  const auto store = open();
  state::State state = with_output(1);
  ASSERT_TRUE(store->write(state, diags_));
  EXPECT_EQ(state.serial, 1);
  EXPECT_EQ(state.lineage.size(), 36);
  EXPECT_EQ(state.terraform_version, "1.12.6");
  ASSERT_TRUE(store->write(state, diags_));
  EXPECT_EQ(state.serial, 1);

  state::State changed = with_output(2);
  ASSERT_TRUE(open()->write(changed, diags_));
  EXPECT_EQ(changed.serial, 2);
  EXPECT_EQ(changed.lineage, state.lineage);
  EXPECT_EQ(text("terraform.tfstate"), state::state_text(changed, state::Layout::Indented));
  struct stat file {};
  ::stat("terraform.tfstate", &file);
  EXPECT_EQ(file.st_mode & 0777, 0600);
}

TEST_F(LocalTest, WhoHasSomethingToDoBeforeIsCalledWhileTheOldStateIsSeen) {
  state::State state = with_output(1);
  ASSERT_TRUE(open()->write(state, diags_));
  const std::string before = text("terraform.tfstate");
  std::vector<std::string> seen;
  state::State changed = with_output(2);
  ASSERT_TRUE(open()->write(
      changed, [&] { seen.push_back(text("terraform.tfstate")); }, diags_));
  EXPECT_THAT(seen, testing::ElementsAre(before));
  EXPECT_EQ(text("terraform.tfstate"), state::state_text(changed, state::Layout::Indented));
}

TEST_F(LocalTest, OneBackupIsKeptOfWhatARunBeganWith) {
  state::State first = with_output(1);
  ASSERT_TRUE(open()->write(first, diags_));
  EXPECT_THAT(names(), testing::ElementsAre("terraform.tfstate"));

  const auto store = open();
  state::State state = with_output(1);
  ASSERT_TRUE(store->write(state, diags_));
  EXPECT_THAT(names(), testing::ElementsAre("terraform.tfstate"));
  for (const int number : {2, 3}) {
    state = with_output(number);
    ASSERT_TRUE(store->write(state, diags_));
  }
  EXPECT_EQ(text("terraform.tfstate.backup"), state::state_text(first, state::Layout::Compact));
}

TEST_F(LocalTest, ARunThatBeganWithNothingLeavesNoBackup) {
  const auto store = open();
  for (const int number : {1, 2}) {
    state::State state = with_output(number);
    ASSERT_TRUE(store->write(state, diags_));
  }
  EXPECT_THAT(names(), testing::ElementsAre("terraform.tfstate"));
}

TEST_F(LocalTest, TheBackupIsOfWhatIsReplacedAlsoIfSomebodyElseWroteIt) {
  const auto ours = open();
  state::State state = with_output(1);
  ASSERT_TRUE(ours->write(state, diags_));
  const auto other = open();
  ASSERT_TRUE(other->read(diags_));
  state = with_output(2);
  ASSERT_TRUE(ours->write(state, diags_));
  const std::string replaced = text("terraform.tfstate");

  state = with_output(3);
  ASSERT_TRUE(other->write(state, diags_));
  EXPECT_NE(text("terraform.tfstate"), replaced);
  const auto kept = state::read_state(text("terraform.tfstate.backup"), diags_);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->outputs.at("n").value.plain().as_number().to_string(), "2");
}

TEST_F(LocalTest, WithoutABackupNothingIsWritten) {
  state::State first = with_output(1);
  ASSERT_TRUE(open()->write(first, diags_));
  const std::string before = text("terraform.tfstate");
  fs::create_directory("terraform.tfstate.backup");
  state::State state = with_output(2);
  EXPECT_FALSE(open()->write(state, diags_));
  EXPECT_TRUE(diags_.has_errors());
  EXPECT_EQ(text("terraform.tfstate"), before);
}

TEST_F(LocalTest, AnotherFileIsWrittenWhenAsked) {
  state::State first = with_output(1);
  ASSERT_TRUE(open()->write(first, diags_));
  const std::string before = text("terraform.tfstate");
  const auto store = open({.state_out_override = "sub/out"});
  state::State state = with_output(2);
  ASSERT_TRUE(store->write(state, diags_));
  EXPECT_EQ(text("terraform.tfstate"), before);
  EXPECT_EQ(state.serial, 2);
  EXPECT_EQ(store->read(diags_)->state->serial, 2);
}

TEST_F(LocalTest, PushingKeepsLineageAndSerialByTheRules) {
  const auto push = [&](std::string lineage, std::uint64_t serial, int content, bool force) {
    state::State state = with_output(content);
    state.lineage = std::move(lineage);
    state.serial = serial;
    diag::Diagnostics diags;
    const bool good = open()->push(state, force, diags);
    EXPECT_EQ(good, !diags.has_errors());
    return good;
  };
  EXPECT_TRUE(push("a", 5, 1, false));
  EXPECT_TRUE(push("a", 5, 1, false));
  EXPECT_FALSE(push("a", 5, 2, false));
  EXPECT_FALSE(push("a", 4, 2, false));
  EXPECT_FALSE(push("b", 9, 2, false));
  EXPECT_TRUE(push("a", 6, 2, false));
  EXPECT_TRUE(push("b", 1, 3, true));
  EXPECT_EQ(open()->read(diags_)->state->serial, 1);
  EXPECT_TRUE(push("", 0, 4, false));
}

TEST_F(LocalTest, ALockHasARecordBesideItAndLeavesNothing) {
  const auto store = open();
  ASSERT_TRUE(store->lock(info(), {}, diags_));
  EXPECT_EQ(text(".terraform.tfstate.lock.info"),
            R"({"ID":"11111111-2222-3333-4444-555555555555","Operation":"OperationTypeApply",)"
            R"("Info":"","Who":"me@here","Version":"1.12.6","Created":"2026-01-02T03:04:05Z",)"
            R"("Path":"terraform.tfstate"})");
  EXPECT_FALSE(open()->lock(info(), {}, diags_));
  EXPECT_THAT(diags_.items()[0].detail, testing::HasSubstr("me@here"));
  ASSERT_TRUE(store->unlock(diags_));
  EXPECT_THAT(names(), testing::IsEmpty());
}

TEST_F(LocalTest, ALockEndsWithItsStoreAndItsRecordAloneStopsNobody) {
  { ASSERT_TRUE(open()->lock(info(), {}, diags_)); }
  EXPECT_THAT(names(), testing::IsEmpty());
  ASSERT_TRUE(base::write_file(".terraform.tfstate.lock.info", "{"));
  const auto store = open();
  EXPECT_TRUE(store->lock(info(), {}, diags_));
}

TEST_F(LocalTest, ReadingAndWritingKeepTheLock) {
  const auto store = open();
  ASSERT_TRUE(store->lock(info(), {}, diags_));
  for (int number = 1; number < 4; ++number) {
    state::State state = with_output(number);
    ASSERT_TRUE(store->write(state, diags_));
    ASSERT_TRUE(store->read(diags_));
    EXPECT_FALSE(open()->lock(info(), {}, diags_));
    EXPECT_EQ(in_child([] { return go_lock(::open("terraform.tfstate", O_RDWR)) ? 1 : 0; }), 0);
  }
  ASSERT_TRUE(store->unlock(diags_));
  EXPECT_EQ(in_child([] { return go_lock(::open("terraform.tfstate", O_RDWR)) ? 1 : 0; }), 1);
}

TEST_F(LocalTest, ALockOfOpenTofuIsRespected) {
  state::State state = with_output(1);
  ASSERT_TRUE(open()->write(state, diags_));
  int ready[2];
  int finish[2];
  ASSERT_EQ(::pipe(ready) + ::pipe(finish), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const int file = ::open("terraform.tfstate", O_RDWR);
    char byte = go_lock(file) ? 'y' : 'n';
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(finish[0], &byte, 1);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  EXPECT_FALSE(open()->lock(info(), {}, diags_));

  std::thread ends([&] { (void)!::write(finish[1], &byte, 1); });
  const auto store = open();
  EXPECT_TRUE(store->lock(info(), {.timeout = std::chrono::minutes(1)}, diags_));
  ends.join();
  ::waitpid(child, nullptr, 0);
}

TEST_F(LocalTest, OpenTofuThatWaitedWithTheOldFileFindsNoStateInIt) {
  state::State state = with_output(1);
  ASSERT_TRUE(open()->write(state, diags_));
  auto store = open();
  ASSERT_TRUE(store->lock(info(), {}, diags_));
  const int waiting = ::open("terraform.tfstate", O_RDWR);
  EXPECT_EQ(in_child([&] { return go_lock(waiting) ? 1 : 0; }), 0);
  state = with_output(2);
  ASSERT_TRUE(store->write(state, diags_));
  ASSERT_TRUE(store->unlock(diags_));

  EXPECT_EQ(in_child([&] { return go_lock(waiting) ? 1 : 0; }), 1);
  const auto found = base::read_descriptor(waiting);
  diag::Diagnostics diags;
  EXPECT_FALSE(state::read_state(*found, diags));
  ::close(waiting);
}

TEST_F(LocalTest, AStopEndsTheWaiting) {
  const auto store = open();
  ASSERT_TRUE(store->lock(info(), {}, diags_));
  std::stop_source stop;
  std::thread stops([&] { stop.request_stop(); });
  EXPECT_FALSE(open()->lock(info(), {std::chrono::hours(24), stop.get_token()}, diags_));
  stops.join();
}

TEST_F(LocalTest, ADirectoryThatCannotBeMadeIsAnError) {
  ASSERT_TRUE(base::write_file("file", "x"));
  EXPECT_FALSE(open({.path = "file/state"})->lock(info(), {}, diags_));
  EXPECT_FALSE(open({.path = "."})->lock(info(), {}, diags_));
  EXPECT_EQ(diags_.error_count(), 2);
}

// Each adds one to the number in the state, five times. Without the lock, or with one
// that is lost on the way, some of it would be overwritten.
TEST_F(LocalTest, TwentyProcessesFightForTheLockAndLoseNothing) {
  constexpr int kProcesses = 20;
  constexpr int kTimes = 5;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int time = 0; time < kTimes; ++time) {
        diag::Diagnostics diags;
        const auto store = open();
        if (!store->lock(info(), {.timeout = std::chrono::minutes(10)}, diags)) ::_exit(1);
        const auto found = store->read(diags);
        if (!found) ::_exit(2);
        state::State state;
        if (found->state) state = *found->state;
        const auto before = state.outputs.find("n");
        const std::int64_t number =
            before == state.outputs.end()
                ? 0
                : before->second.value.plain().as_number().to_int64().value();
        state.outputs["n"] = {value::Value::integer(number + 1)};
        if (!store->write(state, diags)) ::_exit(3);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
  }
  const auto end = open()->read(diags_);
  EXPECT_TRUE(value::raw_equal(end->state->outputs.at("n").value,
                               value::Value::integer(kProcesses * kTimes)));
  EXPECT_EQ(end->state->serial, kProcesses * kTimes);
  EXPECT_THAT(names(), testing::ElementsAre("terraform.tfstate", "terraform.tfstate.backup"));
}

TEST_F(LocalTest, WorkspacesAreDirectories) {
  LocalSettings settings{.workspace_directory = "ws", .version = "1"};
  const auto backend = make_local_backend(settings, state::no_encryption());
  EXPECT_THAT(*backend->workspaces(diags_), testing::ElementsAre("default"));
  for (const char* name : {"b", "a"}) ASSERT_NE(backend->open(name, diags_), nullptr);
  ASSERT_TRUE(base::write_file("ws/file", "x"));
  EXPECT_THAT(*backend->workspaces(diags_), testing::ElementsAre("default", "a", "b"));
  EXPECT_TRUE(backend->delete_workspace("a", diags_));
  EXPECT_THAT(*backend->workspaces(diags_), testing::ElementsAre("default", "b"));
  EXPECT_FALSE(backend->delete_workspace("default", diags_));
}

TEST_F(LocalTest, ALocalLockCannotBeTakenAway) { EXPECT_FALSE(open()->force_unlock("x", diags_)); }

TEST_F(LocalTest, AStateThatIsRefusedIsRescued) {
  state::State state = with_output(1);
  state.lineage = "l";
  EXPECT_FALSE(rescue_state(base::system_disk(), state, state::no_encryption(), {}, diags_));
  EXPECT_THAT(diags_.items()[0].detail, testing::HasSubstr("tofu state push errored.tfstate"));
  EXPECT_EQ(text("errored.tfstate"), state::state_text(state, state::Layout::Indented));

  fs::remove("errored.tfstate");
  fs::create_directory("errored.tfstate");
  EXPECT_EQ(rescue_state(base::system_disk(), state, state::no_encryption(), {}, diags_),
            state::state_text(state, state::Layout::Indented));
  EXPECT_EQ(diags_.error_count(), 2);
}

TEST_F(LocalTest, LockingEndsWhereTheDiskCannotSayWhichFileHasTheName) {
  base::FailingDisk disk;
  disk.info_error = EIO;
  const auto store = make_local_backend({}, state::no_encryption(), disk)
                         ->open(std::string(kDefaultWorkspace), diags_);
  EXPECT_FALSE(store->lock(info(), {}, diags_));
  EXPECT_TRUE(diags_.has_errors());
}

TEST_F(LocalTest, TheLockStaysWhereTheDirectoryCannotBeSynced) {
  base::FailingDisk disk;
  const auto store = make_local_backend({}, state::no_encryption(), disk)
                         ->open(std::string(kDefaultWorkspace), diags_);
  ASSERT_TRUE(store->lock(info(), {}, diags_));
  state::State state = with_output(1);
  ASSERT_TRUE(store->write(state, diags_));
  const std::string before = text("terraform.tfstate");
  const std::unique_ptr<base::DiskFile> old =
      std::move(disk.open("terraform.tfstate", base::OpenMode::Read, 0)).value();
  disk.sync_directory_error = EIO;
  state = with_output(2);
  EXPECT_FALSE(store->write(state, diags_));
  EXPECT_NE(text("terraform.tfstate"), before);              // others see the new one
  EXPECT_EQ(old->read(base::kMaxFileSize).value(), before);  // a crash may bring it back
  diag::Diagnostics held;
  EXPECT_FALSE(open()->lock(info(), {}, held));
  EXPECT_TRUE(store->unlock(diags_));
  EXPECT_TRUE(open()->lock(info(), {}, diags_));
}

// A process that ended.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST_F(LocalTest, WhatAKilledRescueLeftIsRemovedAfterAnHour) {
  const std::string old = fmt::format("errored.tfstate.tmp{}-0", dead_process());
  const std::string own = fmt::format("errored.tfstate.tmp{}-0", ::getpid());
  for (const std::string& path : {old, own}) ASSERT_TRUE(base::write_file(path, "secrets"));
  remove_abandoned_rescues(base::system_disk());
  EXPECT_TRUE(fs::exists(old));
  for (const std::string& path : {old, own}) {
    fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(2));
  }
  remove_abandoned_rescues(base::system_disk());
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(own));
}

TEST_F(LocalTest, TheNameOfTheLockRecordHasOneDot) {
  const auto store = open({.path = "d/.hidden"});
  ASSERT_TRUE(store->lock(info(), {}, diags_));
  EXPECT_EQ(*base::file_kind("d/.hidden.lock.info"), base::FileKind::Regular);
}

}  // namespace
}  // namespace tofu::backends
