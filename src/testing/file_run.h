// The runs of one test file, and the states that they leave.
//
// Runs about the same module share a state, unless they name one of their own. A run that
// plans changes none. The outputs of a state can be named by the name of the run that
// changed it last.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/test_file.h"
#include "plans/test_events.h"
#include "state/state.h"
#include "testing/environment.h"
#include "testing/run_programs.h"
#include "testing/test_run.h"

namespace tofu::testing {

class FileRun {
 public:
  // How many runs there are in all, and how many came before this file.
  struct Position {
    std::size_t before = 0;
    std::size_t total = 0;
  };

  FileRun(std::size_t file, Position position, const TestEnvironment& environment,
          RunPrograms& programs);

  // Executes all runs and reports their results.
  void execute(plans::TestCounts& counts);
  // Destroys their objects.
  void clean_up();

  plans::TestStatus status() const { return status_; }

 private:
  struct Kept {
    state::State state;
    std::optional<std::size_t> last;  // the run that changed it
  };
  struct Ended {
    RunOutcome outcome;
    std::chrono::milliseconds took{0};
  };

  const config::TestRun& run(std::size_t index) const { return file_.runs[index]; }
  const config::Tree& tree_of(std::size_t run) const;
  std::string state_key(std::size_t run) const;
  value::Value outputs() const;
  RunSubject subject(std::size_t run) const {
    return {file_, file_.runs[run], tree_of(run), named_[run], modules_};
  }
  std::vector<std::size_t> next_batch(std::size_t first) const;
  void execute_batch(const std::vector<std::size_t>& runs);
  void keep(std::size_t run);
  void tell(plans::TestCounts& counts);
  void clean_up(const Kept& kept);
  void progress(std::size_t run, plans::TestStep step) const;

  const std::size_t index_;
  const Position position_;
  const TestEnvironment& environment_;
  RunPrograms& programs_;
  const config::TestFile& file_;
  RunModules modules_;
  std::vector<Ended> ended_;            // by run
  std::vector<value::Value> named_;     // by run: the outputs that it could name
  std::map<std::string, Kept> states_;  // by key
  plans::TestStatus status_ = plans::TestStatus::Pass;
};

}  // namespace tofu::testing
