// The programs that runs are made with: the module that is tested, with the providers that a
// test file puts in the place of its own.
//
// Runs with the same providers share one program, so that two hundred of them cost one
// compilation.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "config/test_file.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "testing/environment.h"
#include "testing/run_substitutes.h"
#include "testing/run_variables.h"

namespace tofu::testing {

// Threads: any.
class RunPrograms {
 public:
  explicit RunPrograms(const TestEnvironment& environment) : environment_(environment) {}

  // The program of a run about `tree`. Mocks and provider configurations of the run are put into
  // `substitutes`.
  diag::Checked<const CompiledTree*> find(const config::TestFile& file, const config::TestRun& run,
                                          const config::Tree& tree, const TestScope& scope,
                                          RunSubstitutes& substitutes, diag::Diagnostics& diags);

 private:
  struct Entry {
    std::unique_ptr<config::Tree> tree;  // null: the tested one as it is
    std::optional<CompiledTree> compiled;
    diag::Diagnostics problems;  // for all callers
  };
  struct ProgramRequest;

  bool add_providers(const config::TestFile& file, const config::TestRun& run,
                     const config::Tree& tree, ProgramRequest& request,
                     diag::Diagnostics& diags) const;
  diag::Checked<void> settle(const config::Tree& tree, const TestScope& scope,
                             ProgramRequest& request, RunSubstitutes& substitutes,
                             diag::Diagnostics& diags) const;

  const TestEnvironment& environment_;
  std::mutex mutex_;                      // for entries_
  std::map<std::string, Entry> entries_;  // by what makes them different
};

}  // namespace tofu::testing
