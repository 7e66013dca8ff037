#include "plans/test_events.h"

#include "base/check.h"

namespace tofu::plans {

std::string_view name_of(TestStatus status) {
  switch (status) {
    case TestStatus::Pending: return "pending";
    case TestStatus::Skip: return "skip";
    case TestStatus::Pass: return "pass";
    case TestStatus::Fail: return "fail";
    case TestStatus::Error: return "error";
  }
  base::broken_promise("a status out of range");
}

std::string_view verdict_of(TestStatus status) {
  return name_of(status == TestStatus::Error ? TestStatus::Fail : status);
}

void TestCounts::count(TestStatus status) {
  switch (status) {
    case TestStatus::Pending: break;
    case TestStatus::Skip: ++skipped; break;
    case TestStatus::Pass: ++passed; break;
    case TestStatus::Fail: ++failed; break;
    case TestStatus::Error: ++errored; break;
  }
}

}  // namespace tofu::plans
