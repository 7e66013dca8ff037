#include <cstdlib>
#include <filesystem>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "providers/plugin_source.h"

namespace tofu::providers {
namespace {

using testing::HasSubstr;
using value::Value;

Value thing(const std::string& name) {
  return Value::object({{"id", Value::null(value::Type::string())},
                        {"name", Value::string(name)},
                        {"secret", Value::null(value::Type::string())}});
}

// A run with the fake plugin, which does what `mode` says.
class PluginTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(TOFU_FAKE_PLUGIN).empty()) {
      GTEST_SKIP() << "there is no Go to build the plugin with";
    }
    settings_.start_timeout = std::chrono::seconds(20);
    settings_.stop_timeout = std::chrono::milliseconds(500);
  }

  // Whether the schema could be loaded.
  bool load(const char* mode) {
    ::setenv("FAKE_PLUGIN", mode, 1);
    source_ = std::make_unique<PluginSource>(settings_, cache_, "1.2.3");
    PluginPackage package{addrs::Provider{{"example.com"}, "acme", "fake"}, {}, key_};
    package.place.provider = package.provider.to_string();
    package.place.executable = executable_;
    package_ = package;
    return source_->load(std::span(&package, 1), diags_);
  }
  std::unique_ptr<Provider> open(const char* mode) {
    return load(mode) ? source_->open(package_.provider) : nullptr;
  }
  // What was reported, as one text.
  std::string reported() const {
    std::string all;
    for (const auto& each : diags_.items()) all += each.summary + ": " + each.detail + "\n";
    return all;
  }
  static Answer validate(Provider& provider, const std::string& name) {
    std::promise<Answer> promise;
    provider.validate_resource("fake_thing", thing(name),
                               [&](Answer answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
  }
  static ReadAnswer read(Provider& provider) {
    std::promise<ReadAnswer> promise;
    provider.read({"fake_thing", thing("n"), "before"},
                  [&](ReadAnswer answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
  }

  PluginSettings settings_;
  std::string executable_ = TOFU_FAKE_PLUGIN;
  std::string cache_;
  std::string key_;
  PluginPackage package_;
  std::unique_ptr<PluginSource> source_;
  diag::Diagnostics diags_;
};

TEST_F(PluginTest, SaysWhatItsProviderOffers) {
  ASSERT_TRUE(load("")) << reported();
  const schema::ProviderSchema* schema = source_->schema("example.com/acme/fake");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(schema->resources.at("fake_thing").version, 3U);
  EXPECT_TRUE(schema->functions.contains("shout"));
  EXPECT_TRUE(source_->open(package_.provider)->capabilities().plans_destroy);
}

TEST_F(PluginTest, MayListenOnTcpAndStartSlowly) {
  EXPECT_TRUE(load("tcp")) << reported();
  EXPECT_TRUE(load("slow")) << reported();
}

TEST_F(PluginTest, ReportsProblemsWithTheirAttributes) {
  const auto provider = open("");
  ASSERT_TRUE(provider) << reported();
  const Answer answer = validate(*provider, "n");
  ASSERT_EQ(answer.problems.size(), 1U);
  EXPECT_EQ(answer.problems[0].severity, diag::Severity::Warning);
  EXPECT_EQ(answer.problems[0].summary, "Heard");
  EXPECT_EQ(answer.problems[0].detail, "It says \xEF\xBF\xBD");
  EXPECT_EQ(value::to_string(answer.problems[0].attribute), ".name");
}

TEST_F(PluginTest, MayAnswerWithJson) {
  const auto provider = open("");
  ASSERT_TRUE(provider) << reported();
  const ReadAnswer answer = read(*provider);
  EXPECT_TRUE(answer.problems.empty());
  EXPECT_EQ(answer.object.plain().find("name")->plain().as_string(), "read");
  EXPECT_EQ(answer.private_data, "private");
}

TEST_F(PluginTest, ThatDefersIsInError) {
  const auto provider = open("deferred");
  ASSERT_TRUE(provider) << reported();
  EXPECT_TRUE(read(*provider).has_errors());
}

TEST_F(PluginTest, ThatKeepsWriteOnlyValuesIsInError) {
  const auto provider = open("write-only");
  ASSERT_TRUE(provider) << reported();
  const ReadAnswer answer = read(*provider);
  ASSERT_TRUE(answer.has_errors());
  EXPECT_THAT(answer.problems[0].detail, HasSubstr("secret"));
  EXPECT_THAT(answer.problems[0].detail, HasSubstr("example.com/acme/fake"));
}

TEST_F(PluginTest, ThatPanicsIsNamedWithItsLastWords) {
  const auto provider = open("");
  ASSERT_TRUE(provider) << reported();
  const Answer answer = validate(*provider, "panic");
  ASSERT_TRUE(answer.has_errors());
  EXPECT_THAT(answer.problems[0].detail, HasSubstr("example.com/acme/fake"));
  EXPECT_THAT(answer.problems[0].detail, HasSubstr("ValidateResourceConfig"));
  EXPECT_THAT(answer.problems[0].detail, HasSubstr("ended with status 2"));
  EXPECT_THAT(answer.problems[0].detail, HasSubstr("panic: the fake plugin was told to panic\n"));
  // Later calls get the same error.
  EXPECT_THAT(validate(*provider, "n").problems[0].detail, HasSubstr("told to panic"));
}

TEST_F(PluginTest, ThatHangsEndsWhenItIsAskedToStop) {
  const auto provider = open("");
  ASSERT_TRUE(provider) << reported();
  std::promise<Answer> promise;
  provider->validate_resource("fake_thing", thing("hang"),
                              [&](Answer answer) { promise.set_value(std::move(answer)); });
  provider->stop();
  EXPECT_TRUE(promise.get_future().get().has_errors());
}

TEST_F(PluginTest, ThatHangsIsKilledAtTheEnd) {
  auto provider = open("stays");
  ASSERT_TRUE(provider) << reported();
  std::promise<Answer> promise;
  provider->validate_resource("fake_thing", thing("hang"),
                              [&](Answer answer) { promise.set_value(std::move(answer)); });
  provider.reset();
  source_.reset();
  EXPECT_THAT(promise.get_future().get().problems[0].detail, HasSubstr("it was stopped"));
}

TEST_F(PluginTest, ThatAnswersWithTooLongHeadersFailsAndEndsEachCall) {
  const auto provider = open("");
  ASSERT_TRUE(provider) << reported();
  std::promise<Answer> other;
  provider->validate_resource("fake_thing", thing("hang"),
                              [&](Answer answer) { other.set_value(std::move(answer)); });
  const Answer answer = validate(*provider, "verbose");
  ASSERT_TRUE(answer.has_errors());
  EXPECT_THAT(answer.problems[0].detail, HasSubstr("did not keep to HTTP/2"));
  EXPECT_TRUE(other.get_future().get().has_errors());
  EXPECT_TRUE(validate(*provider, "n").has_errors());
}

TEST_F(PluginTest, ThatSaysMuchIsCutShort) {
  const auto provider = open("");
  ASSERT_TRUE(provider) << reported();
  const Answer answer = validate(*provider, "long");
  ASSERT_TRUE(answer.has_errors());
  EXPECT_THAT(answer.problems[0].detail, HasSubstr("why,why"));
  EXPECT_LT(answer.problems[0].detail.size(), 9000U);
}

TEST_F(PluginTest, ThatIsFrozenWhenItIsAskedToStopIsGivenUp) {
  settings_.silence_timeout = std::chrono::milliseconds(300);
  settings_.check_pause = std::chrono::milliseconds(10);
  const auto provider = open("");
  ASSERT_TRUE(provider) << reported();
  std::promise<Answer> promise;
  provider->validate_resource("fake_thing", thing("frozen"),
                              [&](Answer answer) { promise.set_value(std::move(answer)); });
  provider->stop();
  const Answer answer = promise.get_future().get();
  ASSERT_TRUE(answer.has_errors());
  EXPECT_THAT(answer.problems[0].detail, HasSubstr("has been silent for"));
}

TEST_F(PluginTest, ThatNeverStopsWritingToItsLogIsStillAnswered) {
  const auto provider = open("");
  ASSERT_TRUE(provider) << reported();
  EXPECT_FALSE(validate(*provider, "flood").has_errors());
  const Answer answer = validate(*provider, "panic");
  ASSERT_TRUE(answer.has_errors());
  EXPECT_LT(answer.problems[0].detail.size(), 40'000U);
}

TEST_F(PluginTest, MayRefuseACallAndGoOn) {
  const auto provider = open("");
  ASSERT_TRUE(provider) << reported();
  const Answer answer = validate(*provider, "refuse");
  ASSERT_TRUE(answer.has_errors());
  EXPECT_THAT(answer.problems[0].detail, HasSubstr("no entry, 100%"));
  EXPECT_TRUE(validate(*provider, "broken").has_errors());
  EXPECT_FALSE(validate(*provider, "n").has_errors());
}

TEST_F(PluginTest, FunctionsFailWithTheirArgument) {
  ASSERT_TRUE(load("")) << reported();
  const auto& shout = source_->schema("example.com/acme/fake")->functions.at("shout");
  const std::vector<Value> arguments = {Value::string("hello")};
  const auto result = syntax::call(shout, arguments);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "too loud");
  EXPECT_EQ(result.error().argument, 0U);
}

TEST_F(PluginTest, ThatIsNoneIsReportedWithWhatItPrinted) {
  EXPECT_FALSE(load("garbage"));
  EXPECT_THAT(reported(), HasSubstr("Hello! This is a program, not a plugin."));
  EXPECT_THAT(reported(), HasSubstr("example.com/acme/fake"));
}

TEST_F(PluginTest, ThatEndsAtOnceIsReportedWithItsLog) {
  EXPECT_FALSE(load("exits"));
  EXPECT_THAT(reported(), HasSubstr("ended with status 3"));
  EXPECT_THAT(reported(), HasSubstr("no licence"));
}

TEST_F(PluginTest, ThatDoesNotStartInTimeIsReported) {
  settings_.start_timeout = std::chrono::seconds(1);
  EXPECT_FALSE(load("silent"));
  EXPECT_THAT(reported(), HasSubstr("within 1 s"));
}

TEST_F(PluginTest, ThatCannotBeStartedIsReported) {
  executable_ = "/nowhere/terraform-provider-none";
  EXPECT_FALSE(load(""));
  EXPECT_THAT(reported(), HasSubstr("could not be started"));
}

TEST_F(PluginTest, ThatSpeaksAnotherProtocolIsReported) {
  EXPECT_FALSE(load("old"));
  EXPECT_THAT(reported(), HasSubstr("\"4\""));
}

TEST_F(PluginTest, ThatListensNowhereIsReported) {
  EXPECT_FALSE(load("nowhere"));
  EXPECT_THAT(reported(), HasSubstr("/nowhere/at/all"));
}

TEST_F(PluginTest, WithAnotherCertificateThanItSaidIsNotTrusted) {
  EXPECT_FALSE(load("wrong-certificate"));
  EXPECT_THAT(reported(), HasSubstr("TLS"));
}

TEST_F(PluginTest, WithoutTlsIsNotTrustedUnlessThatIsAskedFor) {
  EXPECT_FALSE(load("plain"));
  EXPECT_THAT(reported(), HasSubstr("TLS"));
  settings_.uses_tls = false;
  EXPECT_TRUE(load("plain"));
}

TEST_F(PluginTest, WithASchemaThatIsTooLargeIsReported) {
  EXPECT_FALSE(load("large"));
  EXPECT_THAT(reported(), HasSubstr("at most 67108864"));
}

TEST_F(PluginTest, WithASchemaThatMakesNoSenseIsReported) {
  EXPECT_FALSE(load("nonsense"));
  EXPECT_FALSE(load("bad-type"));
  EXPECT_THAT(reported(), HasSubstr("fake_thing, \"name\""));
}

TEST_F(PluginTest, MayRefuseOrWarnWhenItIsAskedForItsSchema) {
  EXPECT_FALSE(load("refusal"));
  EXPECT_THAT(reported(), HasSubstr("Come back later"));
  EXPECT_TRUE(load("warning"));
  EXPECT_THAT(reported(), HasSubstr("Older than others"));
}

TEST_F(PluginTest, IsNotStartedForASchemaThatIsKept) {
  cache_ = testing::TempDir() + "/plugin-schemas";
  std::filesystem::remove_all(cache_);
  key_ = "h1:abc";
  ASSERT_TRUE(load("")) << reported();
  executable_ = "/nowhere";
  ASSERT_TRUE(load("")) << reported();
  EXPECT_EQ(source_->schema("example.com/acme/fake")->resources.at("fake_thing").version, 3U);
  // Only when something else is asked.
  EXPECT_TRUE(validate(*source_->open(package_.provider), "n").has_errors());
  std::filesystem::remove_all(cache_);
}

}  // namespace
}  // namespace tofu::providers
