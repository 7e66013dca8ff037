// Test files in memory, run on a mock provider; their reports are shown as rows of text.
//
// The provider and its schema are those of the engine's tests, so that a test says only what
// it is about.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/overloaded.h"
#include "eval/validate.h"
#include "providers/builtin.h"
#include "testing/suite.h"
#include "tests/config/link_fixture.h"
#include "tests/providers/mock_provider.h"

namespace tofu::testing {

// Values from outside, all of them text.
class Outside final : public GivenVariables {
 public:
  std::map<std::string, std::string> texts;

  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [name, text] : texts) all.push_back(name);
    return all;
  }
  bool has(const std::string& name) const override { return texts.contains(name); }
  std::optional<value::Value> read(const std::string& name, const config::Variable*,
                                   diag::Diagnostics&) const override {
    return value::Value::string(texts.at(name));
  }
};

// "file a.tftest.hcl fail", "run one pass", "error Summary", "left mock_thing.a",
// "ended fail 1 1 0 2": passed, failed, errored, skipped.
class Rows final : public plans::TestSink {
 public:
  std::vector<std::string> rows;
  std::vector<plans::TestRunEnded> runs;
  std::function<void(const plans::TestProgress&)> watch;

  void on(const plans::TestEvent& event) override {
    std::visit(
        base::Overloaded{
            [](const plans::TestsFound&) {},
            [&](const plans::TestProgress& e) {
              if (watch) watch(e);
            },
            [&](const plans::TestFileEnded& e) {
              rows.push_back(fmt::format("file {} {}", e.file, plans::name_of(e.status)));
            },
            [&](const plans::TestRunEnded& e) {
              rows.push_back(fmt::format("run {} {}", e.place.run, plans::name_of(e.status)));
              add(e.problems);
              runs.push_back(e);
            },
            [&](const plans::TestCleanedUp& e) {
              add(e.problems);
              for (const auto& left : e.left) rows.push_back("left " + left.address.to_string());
            },
            [&](const plans::TestsBroken&) { rows.push_back("broken"); },
            [&](const plans::TestsEnded& e) {
              rows.push_back(fmt::format("ended {} {} {} {} {}", plans::name_of(e.status),
                                         e.counts.passed, e.counts.failed, e.counts.errored,
                                         e.counts.skipped));
            },
        },
        event);
  }

 private:
  void add(const diag::Diagnostics& problems) {
    for (const diag::Diagnostic& each : problems.items()) {
      const bool is_error = each.severity == diag::Severity::Error;
      rows.push_back(fmt::format("{} {}: {}", is_error ? "error" : "warning", each.summary,
                                 each.detail.substr(0, each.detail.find('\n'))));
    }
  }
};

class CloudSource final : public providers::ProviderSource {
 public:
  explicit CloudSource(providers::MockCloud& cloud) : cloud_(cloud) {}
  std::unique_ptr<providers::Provider> open(const addrs::Provider& provider,
                                            diag::Diagnostics&) override {
    if (provider.type == "mock") return providers::make_mock(cloud_);
    return providers::make_builtin({});
  }

 private:
  providers::MockCloud& cloud_;
};

class Suite : public config::LinkFixture {
 protected:
  // Runs what was written.
  std::vector<std::string> rows() {
    tree_ = link();
    EXPECT_FALSE(diags_.has_errors()) << (diags_.empty() ? "" : diags_.items()[0].detail);
    if (diags_.has_errors()) return {};
    const TestEnvironment environment{
        .tree = tree_,
        .variables = outside_,
        .schemas = providers::mock_schemas(),
        .providers = source_,
        .planning_functions = functions_,
        .applying_functions = functions_,
        .planning = planning_,
        .applying = applying_,
        .plan_time = "2025-01-01T00:00:00Z",
        .sink = sink_,
        .compile = [this](const config::Tree& tree,
                          diag::Diagnostics& diags) { return compiled(tree, diags); },
        .keep = [this](const state::State& state) -> base::Result<std::string> {
          kept_.push_back(state);
          return std::string("kept");
        },
        .test_progress = whereabouts_,
        .stop = stop_.get_token()};
    run_tests(environment);
    return sink_.rows;
  }
  // The rows of one test file about one root module.
  std::vector<std::string> rows(const std::string& module, const std::string& test) {
    write(".", module);
    write_test("a.tftest.hcl", test);
    return rows();
  }

  providers::MockCloud cloud_;
  Outside outside_;
  Rows sink_;
  std::vector<state::State> kept_;
  std::stop_source stop_;
  std::size_t compilations_ = 0;
  TestProgress whereabouts_;

 private:
  std::optional<CompiledTree> compiled(const config::Tree& tree, diag::Diagnostics& diags) {
    ++compilations_;
    auto program = std::make_shared<const eval::Program>(
        eval::compile(tree, providers::mock_schemas(), diags));
    if (diags.has_errors()) return std::nullopt;
    eval::Deprecations warned =
        eval::validate(*program, functions_, planning_, diags, eval::DeprecationLevel::None);
    if (diags.has_errors()) return std::nullopt;
    return CompiledTree{std::move(program), std::move(warned)};
  }

  CloudSource source_{cloud_};
  functions::Table functions_{functions::Environment{}};
  eval::RunInfo planning_;
  eval::RunInfo applying_{"default", "", true};
  config::Tree tree_;
};

}  // namespace tofu::testing
