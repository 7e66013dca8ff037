#include "backends/remote.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <utility>

#include "backends/journal_place.h"
#include "base/file.h"
#include "state/state_file.h"

namespace tofu::backends {
namespace {

// A storage that does what tests want: it fails, and forgets locks.
struct Memory {
  std::map<std::string, std::string> states;
  std::map<std::string, LockInfo> locks;
  int puts = 0;
  bool refuses_put = false;
  bool stores_what_it_refuses = false;
  bool refuses_unlock = false;
  bool breaks_off = false;  // the next write ends the connection, and the lock with it
  std::shared_ptr<ReadCancellation> reading;
  std::map<std::string, bool> can_be_interrupted;  // what was asked last, by its name

  void note(const std::string& name) {
    if (reading) can_be_interrupted[name] = reading->token().stop_possible();
  }
};

class FakeClient final : public RemoteClient {
 public:
  FakeClient(Memory& memory, std::string workspace)
      : memory_(memory), workspace_(std::move(workspace)) {}

  base::Result<std::optional<std::string>> get() override {
    memory_.note("get");
    const auto found = memory_.states.find(workspace_);
    if (found == memory_.states.end()) return std::optional<std::string>();
    return std::optional(found->second);
  }
  base::Result<void> put(const std::string& bytes) override {
    ++memory_.puts;
    memory_.note("put");
    if (std::exchange(memory_.breaks_off, false)) {
      if (memory_.stores_what_it_refuses) memory_.states[workspace_] = bytes;
      memory_.locks.erase(workspace_);
      return base::Error{"the connection broke"};
    }
    if (!memory_.refuses_put || memory_.stores_what_it_refuses) memory_.states[workspace_] = bytes;
    if (memory_.refuses_put) return base::Error{"it does not want to"};
    return {};
  }
  base::Result<void> remove() override {
    memory_.states.erase(workspace_);
    return {};
  }
  bool has_locks() const override { return true; }
  LockAnswer lock(LockInfo& info) override {
    memory_.note("lock");
    const auto [found, is_new] = memory_.locks.try_emplace(workspace_, info);
    if (is_new) return {};
    return {LockAnswer::Verdict::Held, found->second, "somebody has it"};
  }
  base::Result<void> unlock(const std::string& id) override {
    memory_.note("unlock");
    const auto found = memory_.locks.find(workspace_);
    if (memory_.refuses_unlock) return base::Error{"it does not want to"};
    if (found == memory_.locks.end() || found->second.id != id) return base::Error{"not this one"};
    memory_.locks.erase(found);
    return {};
  }
  LockHold holds(const std::string& id) override {
    const auto found = memory_.locks.find(workspace_);
    return found != memory_.locks.end() && found->second.id == id ? LockHold::Ours : LockHold::Lost;
  }

 private:
  Memory& memory_;
  std::string workspace_;
};

class FakeStorage final : public RemoteStorage {
 public:
  explicit FakeStorage(Memory& memory) : memory_(memory) {}
  std::string identity() const override { return "a test"; }
  base::Result<std::vector<std::string>> list() override {
    memory_.note("list");
    std::vector<std::string> names;
    for (const auto& [name, state] : memory_.states) names.push_back(name);
    return names;
  }
  base::Result<void> remove(const std::string& workspace) override {
    memory_.states.erase(workspace);
    return {};
  }
  std::unique_ptr<RemoteClient> client(const std::string& workspace) override {
    return std::make_unique<FakeClient>(memory_, workspace);
  }

 private:
  Memory& memory_;
};

class Remote : public testing::Test {
 protected:
  static LockInfo lock_of(std::string id) {
    return {.id = std::move(id),
            .operation = "test",
            .who = "me",
            .version = "1",
            .created = "now",
            .path = {}};
  }
  std::unique_ptr<Backend> backend() {
    return make_remote_backend(std::make_unique<FakeStorage>(memory_),
                               {.version = "1.12.6",
                                .encryption = state::no_encryption(),
                                .journal_directories = {"journals", "here"},
                                .reading = memory_.reading,
                                .new_lock = [](std::string) { return lock_of("new"); },
                                .deferred_diagnostics = &deferred_diagnostics_});
  }
  std::unique_ptr<Store> store(const std::string& workspace = "default") {
    return backend()->open(workspace, diags_);
  }
  // A state whose one output has this value.
  static state::State state_with(std::int64_t number) {
    state::State state;
    state.outputs.emplace("n", state::Output{.value = value::Value::integer(number)});
    return state;
  }
  std::int64_t stored_number() {
    const auto stored = store()->read(diags_);
    return *stored->state->outputs.at("n").value.unmarked().as_number().to_int64();
  }

  Memory memory_;
  diag::Diagnostics diags_;
  diag::Diagnostics deferred_diagnostics_;
};

TEST_F(Remote, AnInterruptEndsReadingAndLockingAndNothingElse) {
  std::stop_source interrupts;
  memory_.reading = std::make_shared<ReadCancellation>(interrupts.get_token());
  ASSERT_TRUE(backend()->workspaces(diags_));
  const auto one = store();
  ASSERT_TRUE(one->lock(lock_of("a"), {}, diags_));
  ASSERT_TRUE(one->read(diags_));
  state::State state = state_with(1);
  ASSERT_TRUE(one->write(state, diags_));
  ASSERT_TRUE(one->unlock(diags_));
  EXPECT_EQ(memory_.can_be_interrupted,
            (std::map<std::string, bool>{
                {"get", true}, {"list", true}, {"lock", true}, {"put", false}, {"unlock", false}}));
  // What is stored after an interrupt is stored, though what is there has to be read first.
  state::State next = state_with(2);
  ASSERT_TRUE(store()->write(next, diags_));
  EXPECT_FALSE(memory_.can_be_interrupted["get"]);
}

TEST_F(Remote, AStateIsStoredOnceForEachChange) {
  const auto one = store();
  state::State state = state_with(1);
  ASSERT_TRUE(one->write(state, diags_));
  EXPECT_EQ(state.serial, 1U);
  EXPECT_FALSE(state.lineage.empty());
  EXPECT_TRUE(one->write(state, diags_));
  EXPECT_EQ(memory_.puts, 1);
  state::State next = state_with(2);
  EXPECT_TRUE(one->write(next, diags_));
  EXPECT_EQ(next.serial, 2U);
  EXPECT_EQ(next.lineage, state.lineage);
  EXPECT_EQ(stored_number(), 2);
}

TEST_F(Remote, AWorkspaceIsMadeWhenItIsOpenedAndNotWhenItIsRead) {
  const auto all = backend();
  EXPECT_NE(all->open_existing("one", diags_), nullptr);
  EXPECT_EQ(*all->workspaces(diags_), std::vector<std::string>{"default"});
  EXPECT_NE(all->open("one", diags_), nullptr);
  EXPECT_EQ(*all->workspaces(diags_), (std::vector<std::string>{"default", "one"}));
  EXPECT_TRUE(memory_.locks.empty());
  EXPECT_TRUE(all->delete_workspace("one", diags_));
  EXPECT_FALSE(all->delete_workspace("default", diags_));
  EXPECT_EQ(*all->workspaces(diags_), std::vector<std::string>{"default"});
}

TEST_F(Remote, AStoreOutlivesItsBackend) {
  const auto one = store();
  state::State state = state_with(1);
  EXPECT_TRUE(one->write(state, diags_));
}

TEST_F(Remote, TheHolderOfALockIsNamed) {
  const auto one = store();
  const auto two = store();
  EXPECT_TRUE(one->lock(lock_of("first"), {}, diags_));
  EXPECT_FALSE(two->lock(lock_of("second"), {}, diags_));
  ASSERT_EQ(diags_.error_count(), 1U);
  EXPECT_NE(diags_.items()[0].detail.find("force-unlock first"), std::string::npos);
  EXPECT_TRUE(one->unlock(diags_));
  EXPECT_TRUE(two->lock(lock_of("second"), {}, diags_));
}

TEST_F(Remote, ALockThatARequestTookBeforeItsAnswerWasLostIsOurs) {
  memory_.locks.emplace("default", lock_of("mine"));
  EXPECT_TRUE(store()->lock(lock_of("mine"), {}, diags_));
}

TEST_F(Remote, WhoeverWaitsForALockCanBeStopped) {
  memory_.locks.emplace("default", lock_of("other"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(store()->lock(lock_of("mine"), {std::chrono::hours(1), stop.get_token()}, diags_));
}

TEST_F(Remote, ALostLockIsTakenAgainWhileNobodyElseStoresAnything) {
  const auto one = store();
  state::State state = state_with(1);
  ASSERT_TRUE(one->lock(lock_of("mine"), {}, diags_));
  ASSERT_TRUE(one->write(state, diags_));
  memory_.locks.clear();
  state::State next = state_with(2);
  EXPECT_TRUE(one->write(next, diags_));
  EXPECT_EQ(memory_.locks.at("default").id, "mine");
}

TEST_F(Remote, WhatAnotherRunStoredUnderALostLockIsNotOverwritten) {
  const auto one = store();
  state::State state = state_with(1);
  ASSERT_TRUE(one->lock(lock_of("mine"), {}, diags_));
  ASSERT_TRUE(one->write(state, diags_));
  memory_.locks.clear();
  state::State other = state_with(7);
  ASSERT_TRUE(store()->write(other, diags_));
  state::State next = state_with(2);
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_FALSE(one->write(next, diags_));
    EXPECT_EQ(stored_number(), 7);
  }
}

TEST_F(Remote, ALockThatAnotherRunHasNowStopsEveryWrite) {
  const auto one = store();
  state::State state = state_with(1);
  ASSERT_TRUE(one->lock(lock_of("mine"), {}, diags_));
  memory_.locks.insert_or_assign("default", lock_of("other"));
  for (int attempt = 0; attempt < 2; ++attempt) EXPECT_FALSE(one->write(state, diags_));
  EXPECT_EQ(memory_.puts, 0);
  EXPECT_TRUE(one->unlock(diags_));
  EXPECT_EQ(memory_.locks.at("default").id, "other");
}

TEST_F(Remote, AWriteWhoseAnswerWasLostIsKnownAgain) {
  const auto one = store();
  ASSERT_TRUE(one->lock(lock_of("mine"), {}, diags_));
  state::State state = state_with(1);
  ASSERT_TRUE(one->write(state, diags_));
  memory_.refuses_put = memory_.stores_what_it_refuses = true;
  state::State next = state_with(2);
  EXPECT_FALSE(one->write(next, diags_));
  memory_.refuses_put = false;
  memory_.locks.clear();
  state::State last = state_with(3);
  EXPECT_TRUE(one->write(last, diags_));
  EXPECT_EQ(stored_number(), 3);
}

TEST_F(Remote, AConnectionThatBreaksInAWriteIsMadeAgainWithItsLock) {
  for (const bool is_stored : {false, true}) {
    const auto one = store();
    ASSERT_TRUE(one->lock(lock_of("mine"), {}, diags_));
    memory_.breaks_off = true;
    memory_.stores_what_it_refuses = is_stored;
    state::State state = state_with(is_stored ? 2 : 1);
    EXPECT_TRUE(one->write(state, diags_));
    EXPECT_EQ(stored_number(), is_stored ? 2 : 1);
    EXPECT_EQ(memory_.locks.at("default").id, "mine");
  }
}

TEST_F(Remote, ALockThatCannotBeGivenBackIsReportedAtTheEnd) {
  {
    const auto one = store();
    ASSERT_TRUE(one->lock(lock_of("mine"), {}, diags_));
    memory_.refuses_unlock = true;
  }
  ASSERT_EQ(deferred_diagnostics_.error_count(), 1U);
  EXPECT_NE(deferred_diagnostics_.items()[0].detail.find("force-unlock mine"), std::string::npos);
}

// Every write may fail before or after it took effect; what was written last, and
// successfully, is what is there.
TEST_F(Remote, AStoreThatFailsAtRandomLosesNothing) {
  std::minstd_rand random(17);
  const auto one = store();
  ASSERT_TRUE(one->lock(lock_of("mine"), {}, diags_));
  std::uint64_t serial = 0;
  for (std::int64_t number = 1; number <= 200; ++number) {
    state::State state = state_with(number);
    do {
      memory_.refuses_put = random() % 3 != 0;
      memory_.stores_what_it_refuses = random() % 2 != 0;
      if (random() % 4 == 0) memory_.locks.clear();
    } while (!one->write(state, diags_));
    EXPECT_EQ(stored_number(), number);
    EXPECT_GT(state.serial, serial);
    serial = state.serial;
  }
}

// Encrypts by turning bytes around.
class Reversed final : public state::Encryption {
 public:
  bool is_plain() const override { return false; }
  base::Result<std::string> encrypt(std::string_view text) const override {
    return std::string(text.rbegin(), text.rend());
  }
  base::Result<std::string> decrypt(std::string_view text) const override { return encrypt(text); }
  bool is_outdated(std::string_view) const override { return outdated; }
  base::Result<std::string> encrypt_record(std::string_view text) const override {
    return encrypt(text);
  }
  base::Result<std::string> decrypt_record(std::string_view text) const override {
    return encrypt(text);
  }

  bool outdated = false;
};

TEST_F(Remote, JournalsBelongToTheStorageAndTheWorkspace) {
  const auto one = store("a@b");
  const std::vector<std::string> places = one->journal_places();
  ASSERT_EQ(places.size(), 2u);
  EXPECT_TRUE(places[0].starts_with("journals/")) << places[0];
  EXPECT_TRUE(places[0].ends_with("-a%40b.journal")) << places[0];
  EXPECT_EQ(places[1], "here" + places[0].substr(8));
  EXPECT_NE(store("other")->journal_places()[0], places[0]);

  EXPECT_EQ(one->journal_owner(), "a test");
  EXPECT_TRUE(one->owns_journal("a test", "a@b"));
  EXPECT_FALSE(one->owns_journal("a test", "other"));
  EXPECT_FALSE(one->owns_journal("another test", "a@b"));
}

TEST(JournalPlace, JournalsLieBesideEachOtherInOrder) {
  const std::string directory = testing::TempDir() + "/journal-places";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  const std::string first = directory + "/" + journal_name("owner", "w");
  const std::string second = directory + "/elsewhere";
  const std::vector<std::string> places{first, second};
  EXPECT_EQ(next_journals(base::system_disk(), places).value(), places);
  for (const char* suffix : {"", ".2"}) {
    ASSERT_TRUE(base::write_file(first + suffix, "x"));
  }
  ASSERT_TRUE(base::write_file(second + ".1", "x"));
  ASSERT_TRUE(base::write_file(first + ".damaged", "x"));

  EXPECT_EQ(existing_journals(base::system_disk(), places),
            (std::vector<std::string>{first, second + ".1", first + ".2"}));
  EXPECT_EQ(next_journals(base::system_disk(), places).value(),
            (std::vector<std::string>{first + ".3", second + ".3"}));
  EXPECT_EQ(journals_of(base::system_disk(), directory, "owner"),
            (std::vector<std::string>{first, first + ".2"}));
  EXPECT_TRUE(journals_of(base::system_disk(), directory, "other").empty());

  ASSERT_TRUE(base::write_file(first + ".9", "x"));
  EXPECT_FALSE(next_journals(base::system_disk(), places));
  EXPECT_LT(journal_name("owner", std::string(1000, 'w')).size(), 255u);
}

TEST_F(Remote, WhatIsStoredIsEncrypted) {
  Reversed encryption;
  const auto all = make_remote_backend(
      std::make_unique<FakeStorage>(memory_),
      {.version = "1.12.6", .encryption = encryption, .journal_directories = {"journals", "here"}});
  const auto one = all->open("default", diags_);
  state::State state = state_with(1);
  ASSERT_TRUE(one->write(state, diags_));
  EXPECT_FALSE(memory_.states.at("default").starts_with("{"));
  const auto read = one->read(diags_);
  ASSERT_TRUE(read && read->state);
  EXPECT_TRUE(state::same_content(*read->state, state));
  // What is encrypted in a way that is given up is stored anew, changed or not.
  EXPECT_TRUE(one->write(state, diags_));
  EXPECT_EQ(memory_.puts, 1);
  encryption.outdated = true;
  ASSERT_TRUE(one->read(diags_));
  EXPECT_TRUE(one->write(state, diags_));
  EXPECT_EQ(memory_.puts, 2);
}

}  // namespace
}  // namespace tofu::backends
