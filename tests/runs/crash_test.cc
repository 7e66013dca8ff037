// Runs that die or cannot write: nothing that happened is forgotten.
//
// Each run is a process of its own, with a mock provider that keeps what exists outside as
// files. It is killed at one of the calls that write files or make something outside, or such
// a call fails. Then the state and the journal have to name everything that exists, and the next
// run has to put everything right.
//
// TOFU_CRASH_POINTS says at how many points; without it there are 12.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/local.h"
#include "base/file.h"
#include "engine/plan.h"
#include "runs/run_state.h"
#include "state/recovery.h"
#include "state/state_file.h"
#include "tests/cli/test_directory.h"
#include "tests/eval/in_memory.h"
#include "tests/providers/mock_provider.h"
#include "tests/runs/crash_points.h"

namespace tofu::runs {
namespace {

namespace fs = std::filesystem;
using crash_points::Then;
using value::Value;

constexpr int kInstances = 50;  // of each of two resources

int point_count() {
  const char* given = std::getenv("TOFU_CRASH_POINTS");
  return given == nullptr ? 12 : std::atoi(given);
}

// A file that exists while an object exists outside, or after it was reported. Written without
// the calls that can fail.
void put_file(const fs::path& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) ::close(file);
}

// What a whole process knows and does.
class Process : public providers::ProviderSource, public plans::EventSink {
 public:
  // The provider dies when it has made `lost`.
  Process(fs::path directory, std::string lost)
      : directory_(std::move(directory)), lost_(std::move(lost)) {
    cloud_.script.apply = [this](const providers::ApplyRequest& request,
                                 providers::ApplyAnswer& answer) {
      change_outside(request);
      if (request.planned.is_null() || providers::text_of(request.planned, "name") != lost_) return;
      answer.object = request.prior;
      answer.problems.push_back({diag::Severity::Error, "Gone", "The plugin is gone.", {}});
      answer.is_lost = true;
    };
    cloud_.script.read = [this](const providers::ReadRequest& request,
                                providers::ReadAnswer& answer) {
      const std::string name = providers::text_of(request.current, "name");
      answer.object = fs::exists(directory_ / "outside" / name)
                          ? request.current
                          : Value::null(request.current.type());
    };
  }

  std::unique_ptr<providers::Provider> open(const addrs::Provider&, diag::Diagnostics&) override {
    return providers::make_mock(cloud_);
  }

  // What was reported to the user as finished.
  void on(const plans::Event& event) override {
    const auto* done = std::get_if<plans::ApplyComplete>(&event);
    if (done == nullptr) return;
    const bool is_gone = done->action == plans::Action::Delete;
    put_file(directory_ / (is_gone ? "told-gone" : "told-made") /
             done->subject.address.to_string());
  }

 private:
  void change_outside(const providers::ApplyRequest& request) {
    const bool is_gone = request.planned.is_null();
    const std::string name = providers::text_of(is_gone ? request.prior : request.planned, "name");
    crash_points::point();
    if (is_gone) {
      ::unlink((directory_ / "outside" / name).c_str());
    } else {
      put_file(directory_ / "outside" / name);
    }
    crash_points::point();
  }

  fs::path directory_;
  std::string lost_;
  providers::MockCloud cloud_;
};

// The calls that are counted: those of applying, or of recovery before it, too.
enum class Counted : std::uint8_t { Apply, All };

class Crash : public eval::InMemory {
 protected:
  void SetUp() override {
    schemas_ = &providers::mock_schemas();
    write(".", fmt::format(R"(
      resource "mock_thing" "a" {{
        count = {0}
        name  = "a-${{count.index}}"
      }}
      resource "mock_thing" "b" {{
        count  = {0}
        name   = "b-${{count.index}}"
        labels = {{ needs = mock_thing.a[count.index].id }}
      }}
    )",
                           kInstances));
    program_.emplace(compiled());
    ASSERT_FALSE(diags_.has_errors());
    std::string name = (fs::temp_directory_path() / "tofu-crash-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(root_); }

  // A directory with a state in which nothing, or everything, exists.
  fs::path new_directory(const std::string& name, const fs::path* copy_of = nullptr) {
    const fs::path made = root_ / name;
    if (copy_of != nullptr) {
      fs::copy(*copy_of, made, fs::copy_options::recursive);
    } else {
      fs::create_directory(made);
      for (const char* each : {"outside", "told-made", "told-gone"}) {
        fs::create_directory(made / each);
      }
    }
    return made;
  }

  // A whole run in a process of its own. Its exit status, or -1 if it was killed. What the calls
  // were that it made is in the file `passed`.
  int run(const fs::path& directory, plans::Mode mode, Then then, int at,
          Counted counted = Counted::Apply) {
    const pid_t child = ::fork();
    if (child == 0) {
      // An exception ends the child as a crash of its own, not the test.
      const auto status = [&]() noexcept { return work(directory, mode, then, at, counted); }();
      std::_Exit(status);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
    return -1;
  }

  // The calls that a run without failures makes.
  int calls_of(const fs::path& directory, plans::Mode mode) {
    EXPECT_EQ(run(directory, mode, Then::Nothing, 0), 0);
    return std::atoi(cli::TestDirectory::read((directory / "passed").string()).c_str());
  }

  static std::set<std::string> names_in(const fs::path& directory) {
    std::set<std::string> names;
    for (const auto& each : fs::directory_iterator(directory)) names.insert(each.path().filename());
    return names;
  }

  // What is known after the run: from the state, from the journal, and from what was
  // printed.
  struct Known {
    std::set<std::string> objects;    // addresses
    std::set<std::string> in_flight;  // likewise
    std::string printed;              // without line breaks

    bool may_exist(const std::string& address) const {
      return in_flight.contains(address) ||
             printed.find(fmt::format("tofu import '{}' ID", address)) != std::string::npos;
    }
  };
  static Known known_after(const fs::path& directory);
  static void expect_nothing_forgotten(const fs::path& directory, const std::string& when);
  // The next run, without failures, makes everything as it should be.
  void expect_put_right(const fs::path& directory, plans::Mode mode, const std::string& when);

  fs::path root_;
  std::string lost_;  // the name of an object that is made in a call without an answer

 private:
  int work(const fs::path& directory, plans::Mode mode, Then then, int at, Counted counted);

  std::optional<eval::Program> program_;
};

int Crash::work(const fs::path& directory, plans::Mode mode, Then then, int at, Counted counted) {
  fs::current_path(directory);
  cli::Environment environment;
  environment.working_directory = directory.string();
  environment.now = [] { return std::pair<std::int64_t, std::int32_t>(1'700'000'000, 0); };
  cli::Input in("");
  // What was printed outlives the process, too.
  const base::Descriptor printed =
      base::open_file("printed", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  cli::Output out(printed.number());
  cli::Output err(printed.number());
  cli::Cancellation cancellation;
  const cli::Settings settings{environment};
  diag::SourceMap sources;
  cli::Terminal terminal(in, out, err, environment, sources);
  Process process(directory, lost_);
  diag::Diagnostics diags;
  const auto backend = backends::make_local_backend({}, state::no_encryption());
  if (counted == Counted::All) crash_points::arm(then, at);
  auto run =
      open_run_state(*backend, "default", "apply", {}, settings, terminal, cancellation, diags);
  if (!run) return 3;
  eval::RunInfo facts;
  const engine::RunInputs inputs{.program = *program_,
                                 .functions = functions(),
                                 .facts = facts,
                                 .providers = process,
                                 .events = process,
                                 .threads = 2};
  engine::PlanOptions options;
  options.mode = mode;
  engine::Planned planned =
      engine::make_plan(inputs, options, run->state.value_or(state::State()), diags);
  if (diags.has_errors()) return 4;
  if (counted == Counted::Apply) crash_points::arm(then, at);
  PlanDigest digest(planned.plan);
  Applied applied = apply_and_store(inputs, planned, digest, *run, terminal, diags);
  // The text of the configuration is not there.
  for (diag::Diagnostic& each : diags.items_from(0)) each.subject.reset();
  const workdir::Told told = workdir::tell(diags, terminal);
  if (applied.journal) workdir::end_journal(*applied.journal, applied.state.serial, told, diags);
  crash_points::disarm();
  cli::TestDirectory::write("passed", fmt::format("{}", crash_points::passed()));
  run->store->unlock(diags);
  return diags.has_errors() ? 1 : 0;
}

Crash::Known Crash::known_after(const fs::path& directory) {
  diag::Diagnostics diags;
  const auto read_file = [&](const char* name) -> std::optional<state::State> {
    const std::string text = cli::TestDirectory::read((directory / name).string());
    if (text.empty()) return std::nullopt;  // the lock may have made the file
    auto read = state::read_state(text, diags);
    EXPECT_TRUE(read) << name << " is whole";
    return read;
  };
  std::optional<state::State> stored = read_file("terraform.tfstate");
  Known known;
  std::istringstream printed(cli::TestDirectory::read((directory / "printed").string()));
  for (std::string word; printed >> word;) {
    if (word != "│") known.printed += word + " ";
  }
  state::State after = stored.value_or(state::State());
  const fs::path journal = directory / "terraform.tfstate.journal";
  if (fs::exists(journal)) {
    const state::Journal read =
        state::read_journal(cli::TestDirectory::read(journal.string()), state::no_encryption());
    EXPECT_FALSE(read.damage);
    if (read.begin() != nullptr) {
      const state::Recovery recovery = state::recover(stored ? &*stored : nullptr, read);
      EXPECT_NE(recovery.verdict, state::Verdict::Conflict) << recovery.conflict;
      if (recovery.verdict == state::Verdict::Apply) after = recovery.state;
      for (const state::InFlight& each : recovery.in_flight) {
        known.in_flight.insert(each.address.to_string());
      }
    }
  }
  if (const auto rescued = read_file("errored.tfstate")) after = *rescued;
  for (const state::Resource* resource : after.resources()) {
    resource->for_each([&](const state::Instance& instance) {
      known.objects.insert(addrs::instance_of(resource->address(), instance.key()).to_string());
    });
  }
  return known;
}

std::string address_of(const std::string& name) {
  const std::size_t dash = name.find('-');
  return fmt::format("mock_thing.{}[{}]", name.substr(0, dash), name.substr(dash + 1));
}

void Crash::expect_nothing_forgotten(const fs::path& directory, const std::string& when) {
  const Known known = known_after(directory);
  std::set<std::string> outside;
  for (const std::string& name : names_in(directory / "outside")) outside.insert(address_of(name));
  for (const std::string& address : outside) {
    EXPECT_TRUE(known.objects.contains(address) || known.may_exist(address))
        << when << ": " << address << " exists and is not known";
  }
  for (const std::string& address : known.objects) {
    EXPECT_TRUE(outside.contains(address) || known.may_exist(address))
        << when << ": " << address << " is known and does not exist";
  }
  for (const std::string& address : names_in(directory / "told-made")) {
    if (names_in(directory / "told-gone").contains(address) || !outside.contains(address)) continue;
    EXPECT_TRUE(known.objects.contains(address)) << when << ": " << address << " was reported";
  }
}

void Crash::expect_put_right(const fs::path& directory, plans::Mode mode, const std::string& when) {
  EXPECT_EQ(run(directory, mode, Then::Nothing, 0), 0) << when;
  const std::size_t all = mode == plans::Mode::Destroy ? 0 : 2 * kInstances;
  EXPECT_EQ(names_in(directory / "outside").size(), all) << when;
  EXPECT_EQ(known_after(directory).objects.size(), all) << when;
  EXPECT_FALSE(fs::exists(directory / "terraform.tfstate.journal")) << when;
}

TEST_F(Crash, AKilledApplyForgetsNothingThatWasMade) {
  const int calls = calls_of(new_directory("whole"), plans::Mode::Normal);
  ASSERT_GT(calls, 2 * kInstances);
  const int points = point_count();
  int died = 0;
  for (int i = 0; i < points; ++i) {
    const int at = 1 + static_cast<int>(static_cast<std::int64_t>(i) * calls / points);
    const std::string when = fmt::format("killed at call {} of {}", at, calls);
    const fs::path directory = new_directory(fmt::format("killed-{}", i));
    died += run(directory, plans::Mode::Normal, Then::Die, at) == -1 ? 1 : 0;
    expect_nothing_forgotten(directory, when);
    expect_put_right(directory, plans::Mode::Normal, when);
    fs::remove_all(directory);
    if (HasFailure()) return;
  }
  // How often records share a write differs from run to run, so the last may get through.
  EXPECT_GT(died, points * 8 / 10);
  std::cout << fmt::format("apply: killed {} times at {} points of {} calls\n", died, points,
                           calls);
}

TEST_F(Crash, AKilledDestroyForgetsNothingThatIsLeft) {
  const fs::path made = new_directory("made");
  ASSERT_EQ(run(made, plans::Mode::Normal, Then::Nothing, 0), 0);
  const int calls = calls_of(new_directory("whole", &made), plans::Mode::Destroy);
  const int points = point_count();
  int died = 0;
  for (int i = 0; i < points; ++i) {
    const int at = 1 + static_cast<int>(static_cast<std::int64_t>(i) * calls / points);
    const std::string when = fmt::format("killed at call {} of {}", at, calls);
    const fs::path directory = new_directory(fmt::format("killed-{}", i), &made);
    died += run(directory, plans::Mode::Destroy, Then::Die, at) == -1 ? 1 : 0;
    expect_nothing_forgotten(directory, when);
    expect_put_right(directory, plans::Mode::Destroy, when);
    fs::remove_all(directory);
    if (HasFailure()) return;
  }
  EXPECT_GT(died, points * 8 / 10);
  std::cout << fmt::format("destroy: killed {} times at {} points of {} calls\n", died, points,
                           calls);
}

TEST_F(Crash, TwoRunsKilledAfterEachOtherForgetNothing) {
  const int calls = calls_of(new_directory("whole"), plans::Mode::Normal);
  const int points = std::max(1, point_count() / 3);
  for (int i = 0; i < points; ++i) {
    const int first = 1 + i * calls / points;
    const int second = 1 + (points - i) * calls / (2 * points);
    const std::string when = fmt::format("killed at calls {} and {} of {}", first, second, calls);
    const fs::path directory = new_directory(fmt::format("killed-{}", i));
    run(directory, plans::Mode::Normal, Then::Die, first);
    run(directory, plans::Mode::Normal, Then::Die, second);
    expect_nothing_forgotten(directory, when);
    expect_put_right(directory, plans::Mode::Normal, when);
    fs::remove_all(directory);
    if (HasFailure()) return;
  }
}

// Every call of completing the state from a journal, and the first ones of the run after it.
TEST_F(Crash, ARecoveryThatIsKilledAnywhereForgetsNothing) {
  const int calls = calls_of(new_directory("whole"), plans::Mode::Normal);
  const fs::path half = new_directory("half");
  ASSERT_EQ(run(half, plans::Mode::Normal, Then::Die, calls / 2), -1);
  const std::set<std::string> before = known_after(half).objects;
  ASSERT_GT(before.size(), 0u);
  bool is_recovered = false;
  for (int at = 1; !is_recovered; ++at) {
    const std::string when = fmt::format("killed at call {} of the recovery", at);
    const fs::path directory = new_directory(fmt::format("killed-{}", at), &half);
    ASSERT_EQ(run(directory, plans::Mode::Normal, Then::Die, at, Counted::All), -1) << when;
    expect_nothing_forgotten(directory, when);
    const std::set<std::string> after = known_after(directory).objects;
    EXPECT_TRUE(std::ranges::includes(after, before)) << when;
    is_recovered = after.size() > before.size();  // the run after it has begun
    expect_put_right(directory, plans::Mode::Normal, when);
    fs::remove_all(directory);
    if (HasFailure()) return;
  }
}

// The calls at the end of the run store the state, tell of the error and end the journal.
TEST_F(Crash, ACallWithoutAnAnswerIsNamedWhereverTheRunIsKilled) {
  lost_ = "b-7";
  const fs::path whole = new_directory("whole");
  ASSERT_EQ(run(whole, plans::Mode::Normal, Then::Nothing, 0), 1);
  const int calls = std::atoi(cli::TestDirectory::read((whole / "passed").string()).c_str());
  EXPECT_TRUE(known_after(whole).may_exist(address_of(lost_)));
  EXPECT_FALSE(fs::exists(whole / "terraform.tfstate.journal"));
  for (int at = calls - 15; at <= calls; ++at) {
    const std::string when = fmt::format("killed at call {} of {}", at, calls);
    const fs::path directory = new_directory(fmt::format("killed-{}", at));
    run(directory, plans::Mode::Normal, Then::Die, at);
    if (fs::exists(directory / "outside" / lost_)) {
      EXPECT_TRUE(known_after(directory).may_exist(address_of(lost_))) << when;
    }
    expect_nothing_forgotten(directory, when);
    fs::remove_all(directory);
    if (HasFailure()) return;
  }
}

// Every object that exists is in the state that is stored, in the journal, or in the state that
// was rescued; the stored state is the old or the new one.
TEST_F(Crash, AWriteThatFailsLeavesTheOldOrTheNewState) {
  const fs::path made = new_directory("made");
  ASSERT_EQ(run(made, plans::Mode::Normal, Then::Nothing, 0), 0);
  const std::string old = cli::TestDirectory::read((made / "terraform.tfstate").string());
  const int calls = calls_of(new_directory("whole", &made), plans::Mode::Destroy);
  const int points = point_count();
  int failed = 0;
  for (const Then then : {Then::FailOnce, Then::FailOn}) {
    for (int i = 0; i < points; ++i) {
      // The last calls store the state.
      const int at = i % 2 == 0 ? 1 + i * calls / points : std::max(1, calls - i);
      const std::string when =
          fmt::format("call {} of {} fails{}", at, calls, then == Then::FailOn ? " for good" : "");
      const fs::path directory = new_directory(fmt::format("failed-{}", i), &made);
      const int status = run(directory, plans::Mode::Destroy, then, at);
      EXPECT_GE(status, 0) << when;
      failed += status == 1 ? 1 : 0;
      const std::string now = cli::TestDirectory::read((directory / "terraform.tfstate").string());
      diag::Diagnostics diags;
      const auto read = state::read_state(now, diags);
      EXPECT_TRUE(read) << when;
      if (read && now != old) {
        const auto before = state::read_state(old, diags);
        EXPECT_EQ(read->lineage, before->lineage) << when;
        EXPECT_GT(read->serial, before->serial) << when;
      }
      expect_nothing_forgotten(directory, when);
      fs::remove_all(directory);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(failed, 0);
  std::cout << fmt::format("{} of {} runs with failing writes reported errors\n", failed,
                           2 * points);
}

}  // namespace
}  // namespace tofu::runs
