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
#include "testing/run_substitutes.h"
#include "testing/run_variables.h"
#include "testing/surroundings.h"

namespace tofu::testing {

// Threads: any.
class RunPrograms {
 public:
  explicit RunPrograms(const Surroundings& surroundings) : surroundings_(surroundings) {}

  // The program of a run about `tree`. What the run makes up or configures itself is put
  // into `substitutes`. Null if and only if an error was added.
  const CompiledTree* find(const config::TestFile& file, const config::TestRun& run,
                           const config::Tree& tree, const TestScope& scope,
                           RunSubstitutes& substitutes, diag::Diagnostics& diags);

 private:
  struct Entry {
    std::unique_ptr<config::Tree> tree;  // null: the tested one as it is
    std::optional<CompiledTree> compiled;
    diag::Diagnostics problems;  // for everyone who asks
  };
  struct Wanted;

  bool add_providers(const config::TestFile& file, const config::TestRun& run,
                     const config::Tree& tree, Wanted& wanted, diag::Diagnostics& diags) const;
  bool settle(const config::Tree& tree, const TestScope& scope, Wanted& wanted,
              RunSubstitutes& substitutes, diag::Diagnostics& diags) const;

  const Surroundings& surroundings_;
  std::mutex mutex_;                      // for entries_
  std::map<std::string, Entry> entries_;  // by what makes them different
};

}  // namespace tofu::testing
