// Fetching packages into a directory of the test, with a short leash.
//
// Every fetch goes into a new directory. After one that failed, nothing may be left of it. Tests of
// higher components replace perform().
#pragma once

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

#include "fetch/fetch.h"
#include "process/process.h"
#include "tests/archive/tree_fixture.h"

namespace tofu::fetch {

class FetchFixture : public archive::TreeFixture {
 protected:
  FetchFixture() {
    options_.user_agent = "test/1";
    options_.retries = 0;
    options_.retry_wait = std::chrono::milliseconds(1);
  }

  // "" on success; the files are in out/ then, and the rest in package_.
  std::string fetch(const std::string& package, bool untrusted = false,
                    const std::string& revision = {}) {
    std::filesystem::remove_all(at("out"));
    net::Web web(options_, stop_.get_token());
    const net::Credentials credentials;
    const auto variable = [this](std::string_view name) -> std::string_view {
      const auto found = environment_.find(std::string(name));
      return found == environment_.end() ? std::string_view() : found->second;
    };
    const archive::FetchLimits limits = limits_;
    const net::EnvironmentVariable environment = variable;
    const auto fetched = perform(
        {web, credentials, environment, stop_.get_token(), limits},
        {.address = package, .into = at("out"), .revision = revision, .untrusted = untrusted});
    if (fetched) {
      package_ = *fetched;
      return "";
    }
    EXPECT_FALSE(exists("out")) << "something was left behind";
    EXPECT_NE(fetched.error().what, "");
    return fetched.error().what;
  }
  virtual base::Result<FetchedPackage> perform(const Fetching& fetching,
                                               const FetchRequest& request) {
    auto answer = fetch_package(fetching, request);
    if (!answer) return std::move(answer).error();
    if (const auto* detour = std::get_if<SourceRedirect>(&*answer)) {
      return base::Error{"go to " + detour->source};
    }
    return std::get<FetchedPackage>(std::move(*answer));
  }

  // Whether fetching fails for that reason.
  ::testing::AssertionResult refuses(const std::string& package, std::string_view because,
                                     bool untrusted = false) {
    const std::string problem = fetch(package, untrusted);
    if (problem.find(because) != std::string::npos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << package << ": " << (problem.empty() ? "it was fetched" : problem);
  }

  static std::string run(std::vector<std::string> arguments, std::string directory) {
    process::GuardedProcess process{std::move(arguments), std::move(directory)};
    process.environment = {{"GIT_AUTHOR_NAME", "a"},
                           {"GIT_AUTHOR_EMAIL", "a@example.com"},
                           {"GIT_COMMITTER_NAME", "a"},
                           {"GIT_COMMITTER_EMAIL", "a@example.com"},
                           {"GIT_CONFIG_GLOBAL", "/dev/null"}};
    auto done = process::run_guarded(process);
    EXPECT_TRUE(done && done->exit_status == 0) << process.arguments[1];
    if (!done) return {};
    EXPECT_EQ(done->exit_status, 0) << done->errors;
    while (!done->output.empty() && done->output.back() == '\n') done->output.pop_back();
    return done->output;
  }

  net::WebOptions options_;
  archive::FetchLimits limits_;
  std::map<std::string, std::string> environment_;
  std::stop_source stop_;
  FetchedPackage package_;
};

}  // namespace tofu::fetch
