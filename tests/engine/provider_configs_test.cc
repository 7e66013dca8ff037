#include "engine/provider_configs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "addrs/provider.h"
#include "syntax/eval.h"
#include "tests/providers/mock_provider.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using value::Value;

const addrs::Provider& mock_address() {
  static const addrs::Provider address = addrs::builtin_provider("mock");
  return address;
}

addrs::AbsProviderInstance instance(std::string alias = {}) {
  return {{{}, mock_address(), std::move(alias)}, {}};
}

// Opens mock providers, unless it has to fail.
class Source final : public providers::ProviderSource {
 public:
  explicit Source(providers::MockCloud& cloud) : cloud_(cloud) {}

  std::unique_ptr<providers::Provider> open(const addrs::Provider&,
                                            diag::Diagnostics& diags) override {
    ++opened;
    if (!fails) return providers::make_mock(cloud_);
    diags.error("Cannot start the provider");
    return nullptr;
  }

  int opened = 0;
  bool fails = false;

 private:
  providers::MockCloud& cloud_;
};

// Stands in for the configuration "substituted", and for every resource "mock_thing".
class TestSubstitutes final : public Substitutes {
 public:
  explicit TestSubstitutes(providers::MockCloud& cloud) : cloud_(cloud) {}

  std::unique_ptr<providers::Provider> open(
      const addrs::AbsProviderInstance& configuration) const override {
    if (configuration.config.alias != "substituted") return nullptr;
    return providers::make_mock(cloud_);
  }
  std::optional<Value> configuration(const addrs::AbsProviderInstance&,
                                     diag::Diagnostics&) const override {
    return std::nullopt;
  }
  std::unique_ptr<providers::Provider> for_resource(const addrs::AbsResourceInstance& instance,
                                                    const addrs::AbsProviderInstance&,
                                                    providers::Provider&) const override {
    return instance.object.resource.type == "mock_thing" ? providers::make_mock(cloud_) : nullptr;
  }
  const Outputs* outputs_of(const addrs::ModulePath&) const override { return nullptr; }

 private:
  providers::MockCloud& cloud_;
};

class ProviderConfigsTest : public ::testing::Test {
 protected:
  // Runs the task that `start` makes to its end, and gives its result.
  template <class Start>
  ConfiguredProvider* run(Start start) {
    ConfiguredProvider* result = nullptr;
    const auto task = [&]() -> tasks::Async<void> { result = co_await start(); };
    executor_.start(task());
    executor_.run();
    return result;
  }
  ConfiguredProvider* configure(const addrs::AbsProviderInstance& address) {
    return run([&] { return configs_.configure(address, config(), nullptr, diags_); });
  }
  ConfiguredProvider* open_default() {
    return run([&] { return configs_.open_default(mock_address(), diags_); });
  }
  static Value config() { return Value::null(providers::mock_schema().provider.implied_type()); }
  std::vector<std::string> reported() const {
    std::vector<std::string> all;
    for (const diag::Diagnostic& each : diags_.items()) all.push_back(each.summary);
    return all;
  }

  providers::MockCloud cloud_;
  Source source_{cloud_};
  TestSubstitutes substitutes_{cloud_};
  tasks::Executor executor_{{.stack_bytes = syntax::kTaskStack, .threads = 2}};
  RunCancellation cancellation_{std::stop_token()};
  CallGate calls_{executor_, cancellation_, 2};
  ProviderConfigs configs_{source_, &substitutes_, executor_, calls_};
  diag::Diagnostics diags_;
};

TEST_F(ProviderConfigsTest, ConfiguredProviderIsFound) {
  EXPECT_EQ(configs_.find(instance()), nullptr);
  ConfiguredProvider* made = configure(instance());
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(configs_.find(instance()), made);
  EXPECT_EQ(made->address(), instance());
  EXPECT_FALSE(configs_.has_failed(instance()));
  EXPECT_EQ(configs_.find(instance("other")), nullptr);
  EXPECT_THAT(reported(), IsEmpty());
}

TEST_F(ProviderConfigsTest, NewProviderIsNotFoundWhileItIsConfigured) {
  bool was_asked = false;
  cloud_.script.configure = [&](const Value&, providers::Answer&) {
    was_asked = true;
    EXPECT_EQ(configs_.find(instance()), nullptr);
    EXPECT_FALSE(configs_.has_failed(instance()));
  };
  EXPECT_NE(configure(instance()), nullptr);
  EXPECT_TRUE(was_asked);
}

TEST_F(ProviderConfigsTest, ProviderThatRefusesItsConfigurationIsNeverFound) {
  cloud_.script.configure = [](const Value&, providers::Answer& answer) {
    answer.problems.push_back({diag::Severity::Error, "Wrong password", {}, {}});
  };
  EXPECT_EQ(configure(instance()), nullptr);
  EXPECT_THAT(reported(), ElementsAre("Wrong password"));
  EXPECT_EQ(configs_.find(instance()), nullptr);
  EXPECT_TRUE(configs_.has_failed(instance()));
}

TEST_F(ProviderConfigsTest, ProviderThatCannotBeOpenedHasFailed) {
  source_.fails = true;
  EXPECT_EQ(configure(instance()), nullptr);
  EXPECT_THAT(reported(), ElementsAre("Cannot start the provider"));
  EXPECT_EQ(configs_.find(instance()), nullptr);
  EXPECT_TRUE(configs_.has_failed(instance()));
  configs_.stop();  // passes over it
}

TEST_F(ProviderConfigsTest, ConfigurationThatCannotBeEvaluatedHasFailed) {
  configs_.fail(instance());
  EXPECT_EQ(configs_.find(instance()), nullptr);
  EXPECT_TRUE(configs_.has_failed(instance()));
  EXPECT_EQ(source_.opened, 0);
}

TEST_F(ProviderConfigsTest, DefaultConfigurationIsOpenedOnce) {
  ConfiguredProvider* made = open_default();
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(open_default(), made);
  EXPECT_EQ(source_.opened, 1);
}

TEST_F(ProviderConfigsTest, FailedDefaultConfigurationIsNotTriedAgain) {
  cloud_.script.configure = [](const Value&, providers::Answer& answer) {
    answer.problems.push_back({diag::Severity::Error, "Region is required", {}, {}});
  };
  EXPECT_EQ(open_default(), nullptr);
  EXPECT_EQ(open_default(), nullptr);
  EXPECT_EQ(source_.opened, 1);
  EXPECT_THAT(reported(), ElementsAre("Region is required"));  // once
  EXPECT_EQ(configs_.find(instance()), nullptr);
}

TEST_F(ProviderConfigsTest, SubstituteNeedsNoConfiguration) {
  EXPECT_EQ(configs_.open_substitute(instance()), nullptr);
  ConfiguredProvider* made = configs_.open_substitute(instance("substituted"));
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(configs_.find(instance("substituted")), made);
  EXPECT_EQ(source_.opened, 0);
  EXPECT_THAT(cloud_.calls(), IsEmpty());
}

TEST_F(ProviderConfigsTest, SubstituteOfAResourceIsMadeOnce) {
  ConfiguredProvider* real = configure(instance());
  ASSERT_NE(real, nullptr);
  const addrs::AbsResourceInstance thing{{}, {{addrs::ResourceMode::Managed, "mock_thing", "a"}}};
  const addrs::AbsResourceInstance item{{}, {{addrs::ResourceMode::Managed, "mock_item", "a"}}};
  ConfiguredProvider& substitute = configs_.substitute(thing, *real);
  EXPECT_NE(&substitute, real);
  EXPECT_EQ(&configs_.substitute(thing, *real), &substitute);
  EXPECT_EQ(substitute.address(), real->address());
  EXPECT_EQ(&configs_.substitute(item, *real), real);
}

}  // namespace
}  // namespace tofu::engine
