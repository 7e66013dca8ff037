// Test results as a JUnit XML document, which build servers read.
//
// The elements and attributes that Terraform writes: a suite for each file, a case for each
// run.
#pragma once

#include <string>
#include <vector>

#include "diag/source.h"
#include "plans/test_events.h"

namespace tofu::documents {

struct JunitCase {
  plans::TestRunEnded run;
  std::string timestamp;  // when it ended
};

struct JunitSuite {
  std::string file;
  std::vector<JunitCase> cases = {};
};

// The whole document.
std::string junit_xml(const std::vector<JunitSuite>& suites, const diag::SourceMap& sources);

}  // namespace tofu::documents
