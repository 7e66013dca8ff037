// Events of tests, for views.
//
// A file is reported when all its runs have ended: first the file, then its runs in order, then
// what became of cleaning up. Only the progress of runs is reported at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "plans/plan.h"
#include "state/state.h"

namespace tofu::plans {

// From best to worst: that of a whole is the worst of its parts.
enum class TestStatus : std::uint8_t { Pending, Skip, Pass, Fail, Error };

// "pass", "error": the word that the stream of messages has for it.
std::string_view name_of(TestStatus status);
// "pass", "fail": the word for people, who see an error by its diagnostics.
std::string_view verdict_of(TestStatus status);

// A run of a file, or a whole file.
struct TestPlace {
  std::string file;
  std::string run = {};  // empty: the file

  std::string to_string() const { return run.empty() ? file : file + "/" + run; }
};

struct TestsFound {
  struct File {
    std::string path;
    std::vector<std::string> runs;
  };
  std::vector<File> files;  // by path
};

enum class TestStep : std::uint8_t { Run, CleanUp };
struct TestProgress {
  TestPlace place;
  TestStep step = TestStep::Run;
  std::size_t ended = 0;  // runs of all files
  std::size_t total = 0;
};

struct TestFileEnded {
  std::string file;
  TestStatus status = TestStatus::Pending;
};

struct TestRunEnded {
  TestPlace place;
  TestStatus status = TestStatus::Pending;
  diag::Diagnostics problems;
  std::chrono::milliseconds took{0};
  // The plan or state of the run, if requested: a plan, or the state after applying it. Shared,
  // because events are values and these are large.
  std::shared_ptr<const Plan> plan = {};
  std::shared_ptr<const state::State> state = {};
};

struct LeftObject {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};
};

// The state that a run was the last one of, after everything in it was to be destroyed.
struct TestCleanedUp {
  TestPlace place;
  diag::Diagnostics problems;
  std::vector<LeftObject> left;  // what is still there
  std::string kept_in = {};      // the file that has it now; empty: none
};

// Ended at once, in the middle of a file: nothing is cleaned up.
struct TestsBroken {
  std::string file;
  // The remaining objects, by the run that changed the state last; of the tested module under the
  // empty name.
  std::map<std::string, std::vector<LeftObject>> states;
  std::map<std::string, std::vector<addrs::AbsResourceInstance>> created;  // and may be there
};

struct TestCounts {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t errored = 0;
  std::size_t skipped = 0;

  void count(TestStatus status);
};

struct TestsEnded {
  TestStatus status = TestStatus::Pass;
  TestCounts counts;
};

using TestEvent = std::variant<TestsFound, TestProgress, TestFileEnded, TestRunEnded, TestCleanedUp,
                               TestsBroken, TestsEnded>;

class TestSink {
 public:
  virtual ~TestSink() = default;
  virtual void on(const TestEvent& event) = 0;
};

}  // namespace tofu::plans
