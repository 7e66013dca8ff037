#include "testing/expected_failures.h"

#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "addrs/reference.h"

namespace tofu::testing {

namespace {

bool is_check(std::string_view object) {
  return object.starts_with("check.") || object.find(".check.") != std::string_view::npos;
}

// Failures of all instances may be expected together.
std::string_view without_key(std::string_view object) { return object.substr(0, object.find('[')); }

}  // namespace

ExpectedFailures::ExpectedFailures(const config::TestRun& run, const config::Module& tested) {
  diag::Diagnostics ignored;  // checked before the run
  for (const syntax::Traversal& each : run.expect_failures) {
    const auto reference = addrs::parse_test_reference(each, tested, ignored);
    if (reference) objects_.emplace(addrs::to_string(reference->subject), reference->range);
  }
}

diag::Diagnostics ExpectedFailures::judge(const diag::Diagnostics& found) const {
  diag::Diagnostics left;
  std::set<std::string_view> failed;
  for (const diag::Diagnostic& each : found.items()) {
    diag::Diagnostic made = each;
    // Checks warn, unless a test expects them to fail.
    if (each.softened || (each.of_check && is_check(each.rule_of))) {
      made.severity = diag::Severity::Error;
    }
    if (!each.rule_of.empty() && made.severity == diag::Severity::Error) {
      auto expected = objects_.find(each.rule_of);
      if (expected == objects_.end())
        expected = objects_.find(std::string(without_key(each.rule_of)));
      if (expected != objects_.end()) {
        failed.insert(expected->first);
        continue;
      }
    }
    left.add(std::move(made));
  }
  for (const auto& [object, place] : objects_) {
    if (failed.contains(object)) continue;
    left.error("Expected failure did not happen")
        .detail(fmt::format("{} was expected to fail, but all its conditions hold.", object))
        .at(place);
  }
  return left;
}

void ExpectedFailures::warn_of_early(diag::Diagnostics& found) const {
  std::vector<std::string> early;
  for (const diag::Diagnostic& each : found.items()) {
    if (each.rule_of.starts_with("var.") && objects_.contains(each.rule_of)) {
      early.push_back(each.rule_of);
    }
  }
  for (const std::string& object : early) {
    found.warning("Expected failure ends the run")
        .detail(fmt::format("{} has an invalid value, as expected, but the run cannot be applied "
                            "with it, so it fails anyway. Use `command = plan`.",
                            object));
  }
}

}  // namespace tofu::testing
