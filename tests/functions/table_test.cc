#include "functions/table.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace tofu::functions {
namespace {

TEST(Table, FindsFunctionsByPlainAndCoreNames) {
  const Table table(Environment{});
  ASSERT_NE(table.find("length"), nullptr);
  EXPECT_EQ(table.find("core::length"), table.find("length"));
  EXPECT_EQ(table.find("core::core::length"), nullptr);
  EXPECT_EQ(table.find("core::"), nullptr);
  EXPECT_EQ(table.find("Length"), nullptr);
}

TEST(Table, NamesAreSortedAndAllFound) {
  const Table table(Environment{});
  const auto names = table.names();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_GT(names.size(), 120u);
  for (const std::string_view name : names) EXPECT_NE(table.find(name), nullptr) << name;
}

TEST(Table, EveryFunctionIsDescribed) {
  const Table table(Environment{});
  for (const std::string_view name : table.names()) {
    const syntax::Function& function = *table.find(name);
    EXPECT_FALSE(function.description.empty()) << name;
    EXPECT_TRUE(function.lazy ||
                ((function.body || function.body_in_scope) && function.result_type))
        << name;
  }
}

TEST(Table, ThePlanTimeAndTheConsoleEachAddAFunction) {
  EXPECT_EQ(Table(Environment{}).find("plantimestamp"), nullptr);
  EXPECT_EQ(Table(Environment{}).find("type"), nullptr);
  Environment plan;
  plan.plan_timestamp = "2024-01-01T00:00:00Z";
  EXPECT_NE(Table(plan).find("plantimestamp"), nullptr);
  Environment console;
  console.console = true;
  EXPECT_NE(Table(console).find("type"), nullptr);
}

TEST(Table, ASelfContainedOneLacksWhatDependsOnTheOutside) {
  Environment environment;
  environment.plan_timestamp = "2024-01-01T00:00:00Z";
  const Table whole(environment);
  environment.self_contained = true;
  const Table contained(environment);
  for (const std::string_view name : whole.names()) {
    EXPECT_EQ(contained.find(name) == nullptr, depends_on_outside(name)) << name;
  }
  EXPECT_TRUE(depends_on_outside("core::timestamp"));
  EXPECT_FALSE(depends_on_outside("formatdate"));
}

}  // namespace
}  // namespace tofu::functions
