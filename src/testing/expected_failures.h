// Failures that a run expects: rules that have to break.
//
// A failure that is expected is none. Failures of checks, which warn otherwise, are errors in
// tests; and an expected failure that did not happen is one, too.
#pragma once

#include <map>
#include <string>

#include "config/module.h"
#include "config/test_file.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::testing {

class ExpectedFailures {
 public:
  ExpectedFailures(const config::TestRun& run, const config::Module& tested);

  // The remaining diagnostics of a plan or an apply.
  diag::Diagnostics judge(const diag::Diagnostics& found) const;
  // Warns of variables whose failure is expected, but ended the run before it was applied.
  void warn_of_early(diag::Diagnostics& found) const;

 private:
  std::map<std::string, diag::SourceRange> objects_;  // by address; all in the root module
};

}  // namespace tofu::testing
