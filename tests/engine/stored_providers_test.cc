// Which provider configuration looks after what the state has, and what it is configured with,
// on a mock provider.
#include <gmock/gmock.h>
#include <set>

#include "tests/engine/run_fixture.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using value::Value;

class StoredProviders : public EngineRun {
 protected:
  StoredProviders() {
    cloud_.script.configure = [this](const Value& config, providers::Answer&) {
      const std::lock_guard lock(mutex_);
      const Value* region = config.plain().find("region");
      regions_.insert(region->is_unknown() ? "(unknown)" : providers::text_of(config, "region"));
    };
  }
  // The regions that providers were configured with since this was last called; "" for none.
  std::set<std::string> regions() {
    const std::lock_guard lock(mutex_);
    return std::exchange(regions_, {});
  }
  std::string alias_of(std::string_view address) const {
    const plans::ResourceChange* found = change(address);
    if (found == nullptr) return {};
    return planned_->plan.addresses[found->provider].config.alias;
  }
  static PlanOptions targeting(std::string_view address) {
    diag::Diagnostics none;
    PlanOptions options;
    options.targets = {*addrs::parse_text(address, addrs::parse_target, none)};
    return options;
  }

  std::mutex mutex_;
  std::set<std::string> regions_;
};

INSTANTIATE_TEST_SUITE_P(Schedules, StoredProviders, ::testing::ValuesIn(kSchedules));

// A provider that is configured with the id of mock_thing.n, in different ways.
std::string configured_with(std::string_view repetition, std::string_view region,
                            std::string_view more = {}) {
  return fmt::format(R"(
    provider "mock" {{
      region = "root"
    }}
    resource "mock_thing" "n" {{
      {}
      name = "n"
    }}
    provider "mock" {{
      alias  = "other"
      region = {}
    }}
    resource "mock_item" "i" {{
      provider = mock.other
      name     = "i"
    }}
    {}
  )",
                     repetition, region, more);
}

TEST_P(StoredProviders, DestroyConfiguresProvidersWithValuesOfWhatIsDestroyed) {
  const std::string texts[] = {
      configured_with("", "mock_thing.n.id"),
      configured_with("count = 1", "mock_thing.n[0].id"),
      configured_with("count = 1", "join(\"\", mock_thing.n[*].id)"),
      configured_with("for_each = toset([\"k\"])", "mock_thing.n[\"k\"].id"),
      configured_with("", "local.id", "locals { id = mock_thing.n.id }"),
      configured_with("", "module.m.id",
                      "module \"m\" {\n source = \"./m\"\n of = mock_thing.n.id\n}"),
      configured_with("", "terraform_data.d.output",
                      "resource \"terraform_data\" \"d\" { input = mock_thing.n.id }"),
  };
  write("./m", "variable \"of\" {}\noutput \"id\" { value = var.of }\n");
  for (const std::string& text : texts) {
    for (const bool refresh : {true, false}) {
      cloud_.clear();
      make(text);
      (void)regions();
      PlanOptions options;
      options.mode = plans::Mode::Destroy;
      options.refresh = refresh;
      make(text, options);
      EXPECT_THAT(regions(), ElementsAre("id-1", "root")) << text;
      EXPECT_THAT(outside(), IsEmpty());
      EXPECT_THAT(objects(), IsEmpty());
    }
  }
}

TEST_P(StoredProviders, DestroyingAPartConfiguresItsProviderWithValuesOfTheRest) {
  const std::string text = configured_with("", "mock_thing.n.id");
  for (const std::string_view target : {"mock_item.i", "mock_thing.n"}) {
    cloud_.clear();
    state_ = {};
    make(text);
    (void)regions();
    PlanOptions options = targeting(target);
    options.mode = plans::Mode::Destroy;
    plan(text, options);
    apply();
    EXPECT_THAT(shown(), IsEmpty());
    EXPECT_TRUE(regions().contains("id-1"));
  }
}

TEST_P(StoredProviders, DestroyOpensEphemeralResourcesWithValuesOfWhatIsDestroyed) {
  const std::string text =
      configured_with("", "ephemeral.mock_lease.l.password",
                      "ephemeral \"mock_lease\" \"l\" { for = mock_thing.n.id }");
  make(text);
  (void)regions();
  destroy(text);
  EXPECT_THAT(regions(), ElementsAre("pw-id-1", "root"));
  EXPECT_THAT(outside(), IsEmpty());
}

const char kEast[] = R"(
  provider "mock" {
    alias  = "other"
    region = "east"
  }
)";

TEST_P(StoredProviders, PartOfAPlanConfiguresProvidersThatOnlyTheStateNames) {
  const std::string thing = "resource \"mock_thing\" \"a\" { name = \"a\" }\n";
  const std::string item =
      "resource \"mock_item\" \"i\" {\n provider = mock.other\n name = \"i\"\n}\n";
  PlanOptions excluding = targeting("mock_thing.a");
  std::swap(excluding.targets, excluding.excludes);
  for (const PlanOptions& options : {targeting("mock_item.i"), excluding}) {
    cloud_.clear();
    state_ = {};
    make(kEast + thing + item);
    plan(kEast + thing, options);
    EXPECT_THAT(shown(), IsEmpty());
    EXPECT_THAT(changes(), ElementsAre("delete mock_item.i (delete_because_no_resource_config)"));
    (void)regions();
    apply();
    EXPECT_THAT(shown(), IsEmpty());
    EXPECT_THAT(regions(), ElementsAre("east"));
    EXPECT_THAT(outside(), ElementsAre("a"));
  }
}

TEST_P(StoredProviders, AnAbsentConfigurationIsNeverReplacedByAnother) {
  write("./m", R"(
    provider "mock" {
      region = "inner"
    }
    resource "mock_item" "i" {
      name = "i"
    }
  )");
  const std::string root = "provider \"mock\" { region = \"root\" }\n";
  make(root + "module \"m\" { source = \"./m\" }\n");
  (void)regions();
  const auto before = objects();
  for (const std::string& text : {root, std::string()}) {
    for (const plans::Mode mode :
         {plans::Mode::Normal, plans::Mode::RefreshOnly, plans::Mode::Destroy}) {
      for (const bool refresh : {true, false}) {
        PlanOptions options;
        options.mode = mode;
        options.refresh = refresh;
        plan(text, options);
        EXPECT_THAT(shown(), ElementsAre("- Provider configuration not present"));
        EXPECT_THAT(regions(), ::testing::AnyOf(IsEmpty(), ElementsAre("root")));
        EXPECT_EQ(objects(), before);
      }
    }
  }
  // What a caller passes in its place is taken, as in OpenTofu.
  write("./m",
        "terraform {\n required_providers {\n  mock = { source = \"hashicorp/mock\" }\n }\n}\n");
  make(root + kEast + "module \"m\" {\n source = \"./m\"\n providers = { mock = mock.other }\n}\n");
  EXPECT_TRUE(regions().contains("east"));
  EXPECT_THAT(objects(), IsEmpty());
}

TEST_P(StoredProviders, AFailedConfigurationIsNotReplacedByAnEmptyOne) {
  const auto text = [](std::string_view alias) {
    return fmt::format(
        "variable \"json\" {{}}\nprovider \"mock\" {{\n {}\n region = "
        "jsondecode(var.json).region\n}}\n",
        alias);
  };
  for (const std::string_view alias : {"", "alias = \"other\""}) {
    cloud_.clear();
    state_ = {};
    const std::string which = alias.empty() ? "mock" : "mock.other";
    variables_.insert_or_assign("json", Value::string("{\"region\":\"east\"}"));
    make(text(alias) + "resource \"mock_item\" \"i\" {\n provider = " + which +
         "\n name = \"i\"\n}\n");
    (void)regions();
    variables_.insert_or_assign("json", Value::string("nonsense"));
    plan(text(alias));
    EXPECT_THAT(shown(), ElementsAre(HasSubstr("Error in function call")));
    EXPECT_THAT(regions(), IsEmpty());
    EXPECT_THAT(changes(), IsEmpty());
    EXPECT_NE(planned_->prior.object(instance("mock_item.i")), nullptr);
  }
}

std::string one_for_each(std::string_view keys) {
  return fmt::format(
      "provider \"mock\" {{\n alias = \"each\"\n for_each = toset([{}])\n region = each.key\n}}\n",
      keys);
}

TEST_P(StoredProviders, ARowWaitsForTheProviderThatOnlyItsStateNames) {
  const std::string items = R"(
    resource "mock_item" "i" {
      for_each = toset(["a", "b"])
      provider = mock.each[each.key]
      name     = each.key
    }
  )";
  make(one_for_each("\"a\", \"b\"") + items);
  (void)regions();
  const std::string none = "resource \"mock_item\" \"i\" { for_each = toset([]) }\n";
  for (const std::string& rest : {std::string(), none}) {
    plan(one_for_each("\"a\", \"b\"") + rest);
    EXPECT_THAT(shown(), IsEmpty());
    EXPECT_THAT(changes(), ::testing::SizeIs(2));
    plan(one_for_each("\"a\"") + rest);
    EXPECT_THAT(shown(), ElementsAre("- Provider instance not present"));
  }
  EXPECT_FALSE(regions().contains("(unknown)"));
  make(one_for_each("\"a\", \"b\"") + none);
  EXPECT_THAT(outside(), IsEmpty());
}

TEST_P(StoredProviders, WhatIsNotDeclaredKeepsTheProviderThatTheStateNames) {
  const auto items = [](int count, std::string_view provider) {
    return fmt::format("resource \"mock_item\" \"i\" {{\n count = {}\n {}\n name = \"i\"\n}}\n",
                       count, provider);
  };
  make(kEast + items(2, "provider = mock.other"));
  plan(kEast + items(1, ""));
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_EQ(alias_of("mock_item.i[0]"), "");
  EXPECT_EQ(alias_of("mock_item.i[1]"), "other");
  // One that does not exist any more gives way to that of the resource.
  plan(items(1, ""));
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_EQ(alias_of("mock_item.i[1]"), "");
  // So does one that needs the resource itself.
  plan("provider \"mock\" {\n alias = \"other\"\n region = mock_item.i[0].id\n}\n" + items(1, ""));
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_EQ(alias_of("mock_item.i[1]"), "");
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(outside(), ElementsAre("i"));
}

TEST_P(StoredProviders, TheStateNamesTheProviderThatAResourceChangedTo) {
  const auto item = [](std::string_view provider) {
    return fmt::format("resource \"mock_item\" \"i\" {{\n {}\n name = \"i\"\n}}\n", provider);
  };
  const auto alias_in_state = [&] {
    return state_.resource(addrs::resource_of(instance("mock_item.i")))->provider().alias;
  };
  make(kEast + item(""));
  plan(kEast + item("provider = mock.other"));
  EXPECT_THAT(changes(), IsEmpty());
  apply();
  EXPECT_EQ(alias_in_state(), "other");
}

TEST_P(StoredProviders, AConfigurationBelongsToAProviderByAnyOfItsNames) {
  const std::string required =
      "terraform {\n required_providers {\n  rnd = { source = \"hashicorp/mock\" }\n }\n}\n";
  const std::string configured = "provider \"rnd\" { region = \"east\" }\n";
  write("./m", "resource \"mock_item\" \"i\" { name = \"i\" }\n");
  for (const std::string_view item :
       {"module \"m\" { source = \"./m\" }\n",
        "resource \"mock_item\" \"i\" {\n provider = rnd\n name = \"i\"\n}\n"}) {
    cloud_.clear();
    state_ = {};
    make(required + configured + std::string(item));
    EXPECT_THAT(regions(), ElementsAre("east"));
    destroy(required + configured + std::string(item));
    EXPECT_THAT(regions(), ElementsAre("east"));
    EXPECT_THAT(outside(), IsEmpty());
  }
}

}  // namespace
}  // namespace tofu::engine
