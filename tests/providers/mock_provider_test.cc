#include "tests/providers/mock_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <utility>

#include "tests/syntax/plain_text.h"

namespace tofu::providers {
namespace {

using ::testing::ElementsAre;
using value::Type;
using value::Value;

// A configuration of mock_thing with nothing but a name.
Value named(std::string_view name) {
  const Type type = mock_schema().resources.find("mock_thing")->second.block.implied_type();
  std::vector<Value> items;
  for (const auto& attribute : type.attributes()) {
    items.push_back(attribute.name == "name" ? Value::string(name) : Value::null(attribute.type));
  }
  return Value::object(type, std::move(items));
}

template <class A>
auto into(std::optional<A>& answer) {
  return [&](A one) { answer = std::move(one); };
}

ApplyAnswer create(Provider& provider, std::string_view name) {
  const Value config = named(name);
  std::optional<PlanAnswer> planned;
  provider.plan({"mock_thing", Value::null(config.type()), config, config, {}}, into(planned));
  std::optional<ApplyAnswer> applied;
  provider.apply({"mock_thing", Value::null(config.type()), planned->planned, config,
                  planned->planned_private},
                 into(applied));
  return *applied;
}

TEST(MockProvider, RemembersWhatExistsAndWhatWasAsked) {
  MockCloud cloud;
  const auto provider = make_mock(cloud);

  const ApplyAnswer made = create(*provider, "web");

  EXPECT_FALSE(made.has_errors());
  EXPECT_TRUE(made.object.wholly_known());
  EXPECT_EQ(cloud.things().size(), 1U);
  EXPECT_THAT(cloud.calls(), ElementsAre("plan mock_thing web", "apply mock_thing web"));
}

TEST(MockProvider, AFailedCreationLeavesNothing) {
  MockCloud cloud;
  cloud.fail("apply mock_thing web");
  const auto provider = make_mock(cloud);

  const ApplyAnswer made = create(*provider, "web");

  EXPECT_TRUE(made.has_errors());
  EXPECT_TRUE(made.object.is_null());
  EXPECT_TRUE(cloud.things().empty());
}

TEST(MockProvider, ReadingFindsWhatChangedOutside) {
  MockCloud cloud;
  const auto provider = make_mock(cloud);
  const Value made = create(*provider, "web").object;
  cloud.remove(std::string(made.plain().find("id")->plain().as_string()));

  std::optional<ReadAnswer> answer;
  provider->read({"mock_thing", made, {}}, into(answer));

  EXPECT_TRUE(answer.value().object.is_null());
}

}  // namespace
}  // namespace tofu::providers
