#include "providers/builtin.h"

#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "tests/syntax/plain_text.h"
#include "value/size_limit.h"

namespace tofu::providers {
namespace {

using value::Type;
using value::Value;

Value data(Value id, Value input, Value output, Value trigger) {
  return Value::object({{"id", std::move(id)},
                        {"input", std::move(input)},
                        {"output", std::move(output)},
                        {"triggers_replace", std::move(trigger)}});
}

const Value kNoId = Value::null(Type::string());
const Value kNothing = Value::null();
const Value kObject = Value::null(
    schema::builtin_terraform().resources.find("terraform_data")->second.block.implied_type());

PlanAnswer plan(const Value& prior, const Value& proposed) {
  std::optional<PlanAnswer> answer;
  make_builtin({})->plan({"terraform_data", prior, proposed, proposed, {}},
                         [&](PlanAnswer one) { answer = std::move(one); });
  return answer.value();
}

Value applied(const Value& planned) {
  std::optional<ApplyAnswer> answer;
  make_builtin({})->apply({"terraform_data", kObject, planned, planned, {}},
                          [&](ApplyAnswer one) { answer = std::move(one); });
  return answer.value().object;
}

TEST(TerraformData, ANewOneHasItsIdAndOutputLater) {
  const PlanAnswer answer = plan(kObject, data(kNoId, Value::integer(1), kNothing, kNothing));

  EXPECT_EQ(syntax::plain_text(*answer.planned.plain().find("id")), "unknown(string; not null)");
  EXPECT_EQ(syntax::plain_text(*answer.planned.plain().find("output")), "unknown(number)");
  EXPECT_TRUE(answer.requires_replace.empty());
}

TEST(TerraformData, WithoutAnInputTheOutputIsKnownToBeNull) {
  const PlanAnswer answer = plan(kObject, data(kNoId, kNothing, kNothing, kNothing));

  EXPECT_TRUE(answer.planned.plain().find("output")->is_null());
}

TEST(TerraformData, AnotherTriggerReplacesIt) {
  const Value id = Value::string("a");
  const PlanAnswer answer = plan(data(id, Value::integer(1), Value::integer(1), Value::integer(1)),
                                 data(id, Value::integer(1), Value::integer(1), Value::integer(2)));

  ASSERT_EQ(answer.requires_replace.size(), 1U);
  EXPECT_EQ(value::to_string(answer.requires_replace[0]), ".triggers_replace");
  EXPECT_TRUE(answer.planned.plain().find("id")->is_unknown());
}

TEST(TerraformData, AnotherInputChangesTheOutputInPlace) {
  const Value id = Value::string("a");
  const PlanAnswer answer = plan(data(id, Value::integer(1), Value::integer(1), kNothing),
                                 data(id, Value::string("x"), Value::integer(1), kNothing));

  EXPECT_TRUE(answer.requires_replace.empty());
  EXPECT_EQ(syntax::plain_text(*answer.planned.plain().find("id")), "\"a\"");
  EXPECT_EQ(syntax::plain_text(*answer.planned.plain().find("output")), "unknown(string)");
}

TEST(TerraformData, WhatIsTheSameIsPlannedAsItIs) {
  const Value object = data(Value::string("a"), Value::integer(1), Value::integer(1), kNothing);

  EXPECT_TRUE(raw_equal(plan(object, object).planned, object));
}

TEST(TerraformData, AnInputThatAStateCannotHoldTwiceIsRefused) {
  const Value part = Value::string(std::string(value::kMaxTextSize / 16, 'x'));
  const Value large = Value::tuple(std::vector<Value>(9, part));
  const Value id = Value::string("a");
  for (const Value& prior : {kObject, data(id, kNothing, kNothing, kNothing)}) {
    const PlanAnswer answer = plan(prior, data(id, large, kNothing, kNothing));
    ASSERT_EQ(answer.problems.size(), 1U);
    EXPECT_EQ(answer.problems[0].summary, "Input cannot be stored");
    EXPECT_EQ(value::to_string(answer.problems[0].attribute), ".input");
  }
}

TEST(TerraformData, ApplyingFillsInIdAndOutput) {
  const Value made =
      applied(plan(kObject, data(kNoId, Value::integer(1), kNothing, kNothing)).planned);

  EXPECT_EQ(made.plain().find("id")->plain().as_string().size(), 36U);
  EXPECT_EQ(syntax::plain_text(*made.plain().find("output")), "1");
}

TEST(TerraformData, DestroyingLeavesNothing) {
  EXPECT_TRUE(
      plan(data(Value::string("a"), kNothing, kNothing, kNothing), kObject).planned.is_null());
  EXPECT_TRUE(applied(kObject).is_null());
}

TEST(TerraformData, ANullResourceBecomesOne) {
  std::optional<MoveAnswer> answer;
  make_builtin({})->move({addrs::default_provider("null"),
                          {"null_resource", 0, R"({"id":"7","triggers":{"a":"b"}})"},
                          "kept",
                          "terraform_data"},
                         [&](MoveAnswer one) { answer = std::move(one); });

  ASSERT_TRUE(answer && !answer->has_errors());
  EXPECT_EQ(syntax::plain_text(answer->object),
            R"({id = "7", input = null, output = null, triggers_replace = {a = "b"}})");
  EXPECT_EQ(answer->private_data, "kept");
}

TEST(TerraformData, NothingElseBecomesOne) {
  std::optional<MoveAnswer> answer;
  make_builtin({})->move({addrs::default_provider("aws"), {"aws_x", 0, "{}"}, {}, "terraform_data"},
                         [&](MoveAnswer one) { answer = std::move(one); });

  EXPECT_TRUE(answer.value().has_errors());
}

TEST(TerraformData, WhatTheStateHasIsReadByTheSchema) {
  std::optional<UpgradeAnswer> answer;
  const auto upgrade = [&](std::string json) {
    make_builtin({})->upgrade({"terraform_data", 0, std::move(json)},
                              [&](UpgradeAnswer one) { answer = std::move(one); });
    return *answer;
  };

  EXPECT_EQ(syntax::plain_text(upgrade(R"({"id":"x","input":{"value":1,"type":"number"},)"
                                       R"("output":null,"triggers_replace":null})")
                                   .object),
            R"({id = "x", input = 1, output = null, triggers_replace = null})");
  EXPECT_TRUE(upgrade(R"({"id":[]})").has_errors());
}

TEST(TerraformData, ReadOnlyAttributesCannotBeSet) {
  std::optional<Answer> answer;
  make_builtin({})->validate_resource("terraform_data",
                                      data(Value::string("x"), kNothing, kNothing, kNothing),
                                      [&](Answer one) { answer = std::move(one); });

  EXPECT_TRUE(answer.value().has_errors());
}

TEST(TerraformRemoteState, IsReadByWhoeverKnowsBackends) {
  auto provider = make_builtin([](const DataRequest& request) {
    return DataAnswer{{}, request.config};
  });
  std::optional<DataAnswer> answer;
  provider->read_data({"terraform_remote_state", Value::integer(7)},
                      [&](DataAnswer one) { answer = std::move(one); });
  provider.reset();  // after what was begun

  EXPECT_EQ(syntax::plain_text(answer.value().object), "7");
}

TEST(TerraformRemoteState, DoesNotKeepTheThreadThatAsksForIt) {
  std::promise<void> all_asked;
  std::shared_future<void> asked(all_asked.get_future());
  std::atomic<int> answered = 0;
  auto provider = make_builtin([&](const DataRequest& request) {
    asked.wait();
    return DataAnswer{{}, request.config};
  });
  for (int i = 0; i < 50; ++i) {
    provider->read_data({"terraform_remote_state", Value::integer(i)},
                        [&](const DataAnswer&) { ++answered; });
  }
  EXPECT_EQ(answered, 0);
  all_asked.set_value();
  provider.reset();
  EXPECT_EQ(answered, 50);
}

TEST(TerraformRemoteState, CannotBeReadWhereNobodyKnowsBackends) {
  std::optional<DataAnswer> answer;
  make_builtin({})->read_data({"terraform_remote_state", kNothing},
                              [&](DataAnswer one) { answer = std::move(one); });

  EXPECT_TRUE(answer.value().has_errors());
}

}  // namespace
}  // namespace tofu::providers
