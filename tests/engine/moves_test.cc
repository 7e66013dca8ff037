#include "engine/moves.h"

#include <gmock/gmock.h>

#include "tests/engine/configured.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string moved(std::string_view from, std::string_view to) {
  return fmt::format("moved {{\n  from = {}\n  to   = {}\n}}\n", from, to);
}

class Moves : public Configured {
 protected:
  MoveOutcome follow(std::string root, state::State prior) {
    write(".", std::move(root));
    program_ = compiled();
    return apply_moves(*program_.tree, std::move(prior));
  }
  // Where instances came from, "now <- before".
  static std::vector<std::string> moved_in(const MoveOutcome& outcome) {
    std::vector<std::string> out;
    for (const auto& [now, from] : outcome.moved) {
      out.push_back(now.to_string() + " <- " + from.address.to_string());
    }
    std::ranges::sort(out);
    return out;
  }

  eval::Program program_;
};

TEST_F(Moves, AResourceMovesWithAllItsInstances) {
  const auto outcome = follow(moved("terraform_data.a", "terraform_data.b"),
                              state_with({"terraform_data.a[0]", "terraform_data.a[1]"}));

  EXPECT_THAT(contents(outcome.state), ElementsAre("terraform_data.b[0] <- terraform_data.a[0]",
                                                   "terraform_data.b[1] <- terraform_data.a[1]"));
  EXPECT_EQ(moved_in(outcome), contents(outcome.state));
  EXPECT_EQ(outcome.moved_from(instance("terraform_data.a[0]")), nullptr);
}

TEST_F(Moves, OneInstanceMovesToAnotherKey) {
  const auto outcome =
      follow(moved("terraform_data.a[0]", "terraform_data.a[\"x\"]"),
             state_with({"terraform_data.a[0]", "terraform_data.a[1]", "terraform_data.b"}));

  EXPECT_THAT(contents(outcome.state), ElementsAre("terraform_data.a[\"x\"] <- terraform_data.a[0]",
                                                   "terraform_data.a[1]", "terraform_data.b"));
}

TEST_F(Moves, AnAddressWithoutKeyIsTheInstanceIfTheOtherEndHasAKey) {
  const auto outcome = follow(moved("terraform_data.a", "terraform_data.b[\"x\"]"),
                              state_with({"terraform_data.a", "terraform_data.a[0]"}));

  EXPECT_THAT(contents(outcome.state),
              ElementsAre("terraform_data.a[0]", "terraform_data.b[\"x\"] <- terraform_data.a"));
}

TEST_F(Moves, ChainsAreFollowedInWhateverOrderTheyAreWritten) {
  const auto outcome = follow(moved("terraform_data.b", "terraform_data.c") +
                                  moved("terraform_data.a", "terraform_data.b") +
                                  moved("terraform_data.c", "terraform_data.d"),
                              state_with({"terraform_data.a"}));

  EXPECT_THAT(moved_in(outcome), ElementsAre("terraform_data.d <- terraform_data.a"));
  EXPECT_THAT(contents(outcome.state), ElementsAre("terraform_data.d <- terraform_data.a"));
}

TEST_F(Moves, WhatHasThePlaceAlreadyKeepsIt) {
  const auto outcome = follow(
      moved("terraform_data.a", "terraform_data.b") + moved("terraform_data.b", "terraform_data.c"),
      state_with({"terraform_data.a", "terraform_data.c"}));

  EXPECT_THAT(contents(outcome.state),
              ElementsAre("terraform_data.b <- terraform_data.a", "terraform_data.c"));
  EXPECT_THAT(outcome.blocked, ElementsAre(Pair("terraform_data.b", "terraform_data.c")));
  warn_of_blocked_moves(outcome, diags_);
  ASSERT_EQ(diags_.items().size(), 1U);
  EXPECT_EQ(diags_.items()[0].severity, diag::Severity::Warning);
}

TEST_F(Moves, InstancesJoinAResourceThatIsThere) {
  const auto outcome = follow(moved("terraform_data.one", "terraform_data.all[\"one\"]") +
                                  moved("terraform_data.two", "terraform_data.all[\"two\"]"),
                              state_with({"terraform_data.one", "terraform_data.two"}));

  EXPECT_THAT(contents(outcome.state),
              ElementsAre("terraform_data.all[\"one\"] <- terraform_data.one",
                          "terraform_data.all[\"two\"] <- terraform_data.two"));
}

TEST_F(Moves, AModuleMovesWithTheModulesInIt) {
  const auto outcome = follow(
      moved("module.a", "module.b"),
      state_with({"module.a[0].terraform_data.x", "module.a[\"k\"].module.in[1].terraform_data.y",
                  "module.other.module.a.terraform_data.x"}));

  EXPECT_THAT(contents(outcome.state),
              ElementsAre("module.b[\"k\"].module.in[1].terraform_data.y <- "
                          "module.a[\"k\"].module.in[1].terraform_data.y",
                          "module.b[0].terraform_data.x <- module.a[0].terraform_data.x",
                          "module.other.module.a.terraform_data.x"));
}

TEST_F(Moves, OneInstanceOfAModuleMovesAlone) {
  const auto outcome =
      follow(moved("module.a[0]", "module.a[\"x\"]"),
             state_with({"module.a[0].terraform_data.x", "module.a[1].terraform_data.x"}));

  EXPECT_THAT(contents(outcome.state),
              ElementsAre("module.a[\"x\"].terraform_data.x <- module.a[0].terraform_data.x",
                          "module.a[1].terraform_data.x"));
}

TEST_F(Moves, AModuleThatHasThePlaceAlreadyKeepsIt) {
  const auto outcome = follow(moved("module.a", "module.b"),
                              state_with({"module.a.terraform_data.x", "module.b.terraform_data.y",
                                          "module.a.module.in.terraform_data.x"}));

  EXPECT_THAT(
      contents(outcome.state),
      ElementsAre("module.a.terraform_data.x",
                  "module.b.module.in.terraform_data.x <- module.a.module.in.terraform_data.x",
                  "module.b.terraform_data.y"));
  EXPECT_THAT(outcome.blocked, ElementsAre(Pair("module.a", "module.b")));
}

TEST_F(Moves, ABlockInAModuleIsTrueOfEachOfItsInstances) {
  write("./m",
        moved("terraform_data.a", "terraform_data.b") + "resource \"terraform_data\" \"b\" {}\n");
  const auto outcome = follow("module \"m\" {\n  source = \"./m\"\n  count = 2\n}\n",
                              state_with({"module.m[0].terraform_data.a",
                                          "module.m[1].terraform_data.a", "terraform_data.a"}));

  EXPECT_THAT(contents(outcome.state),
              ElementsAre("module.m[0].terraform_data.b <- module.m[0].terraform_data.a",
                          "module.m[1].terraform_data.b <- module.m[1].terraform_data.a",
                          "terraform_data.a"));
}

TEST_F(Moves, AResourceLeavesForAModuleThatThenMoves) {
  const auto outcome = follow(
      moved("module.old", "module.new") + moved("terraform_data.a", "module.old.terraform_data.a"),
      state_with({"terraform_data.a"}));

  EXPECT_THAT(moved_in(outcome), ElementsAre("module.new.terraform_data.a <- terraform_data.a"));
}

TEST_F(Moves, AModuleMovesFirstThenWhatABlockInsideItSays) {
  write("./m",
        moved("terraform_data.a", "terraform_data.b") + "resource \"terraform_data\" \"b\" {}\n");
  const auto outcome =
      follow("module \"new\" {\n  source = \"./m\"\n}\n" + moved("module.old", "module.new"),
             state_with({"module.old.terraform_data.a"}));

  EXPECT_THAT(moved_in(outcome),
              ElementsAre("module.new.terraform_data.b <- module.old.terraform_data.a"));
}

TEST_F(Moves, AModuleWhoseKeyChangesMayHaveMovesInside) {
  write("./m",
        moved("terraform_data.a", "terraform_data.b") + "resource \"terraform_data\" \"b\" {}\n");
  const auto outcome =
      follow("module \"m\" {\n  source = \"./m\"\n  for_each = toset([\"x\"])\n}\n" +
                 moved("module.m[0]", "module.m[\"x\"]"),
             state_with({"module.m[0].terraform_data.a"}));

  EXPECT_THAT(moved_in(outcome),
              ElementsAre("module.m[\"x\"].terraform_data.b <- module.m[0].terraform_data.a"));
}

TEST_F(Moves, TheTypeMayChange) {
  const auto outcome =
      follow(moved("null_resource.a", "terraform_data.a"), state_with({"null_resource.a"}));

  const MovedFrom* from = outcome.moved_from(instance("terraform_data.a"));
  ASSERT_NE(from, nullptr);
  EXPECT_EQ(from->address.object.resource.type, "null_resource");
  EXPECT_FALSE(from->implied);
}

TEST_F(Moves, AddingCountKeepsTheObjectAsTheFirst) {
  const auto outcome = follow("resource \"terraform_data\" \"a\" {\n  count = 2\n}\n",
                              state_with({"terraform_data.a"}));

  EXPECT_THAT(contents(outcome.state), ElementsAre("terraform_data.a[0] <- terraform_data.a"));
  EXPECT_TRUE(outcome.moved_from(instance("terraform_data.a[0]"))->implied);
}

TEST_F(Moves, RemovingCountKeepsTheFirst) {
  const auto outcome = follow("resource \"terraform_data\" \"a\" {}\n",
                              state_with({"terraform_data.a[0]", "terraform_data.a[1]"}));

  EXPECT_THAT(contents(outcome.state),
              ElementsAre("terraform_data.a <- terraform_data.a[0]", "terraform_data.a[1]"));
}

TEST_F(Moves, EnabledIsNoRepetitionAndForEachImpliesNothing) {
  const auto outcome = follow(
      "resource \"terraform_data\" \"a\" {\n  lifecycle {\n    enabled = true\n  }\n}\n"
      "resource \"terraform_data\" \"b\" {\n  for_each = {}\n}\n",
      state_with({"terraform_data.a[0]", "terraform_data.b", "terraform_data.b[0]"}));

  EXPECT_THAT(moved_in(outcome), ElementsAre("terraform_data.a <- terraform_data.a[0]"));
}

TEST_F(Moves, ABlockAboutTheResourceLeavesNothingImplied) {
  const auto outcome = follow("resource \"terraform_data\" \"a\" {\n  count = 2\n}\n" +
                                  moved("terraform_data.a", "terraform_data.a[1]"),
                              state_with({"terraform_data.a"}));

  EXPECT_THAT(contents(outcome.state), ElementsAre("terraform_data.a[1] <- terraform_data.a"));
}

TEST_F(Moves, AddingCountToAModuleKeepsItAsTheFirst) {
  write("./m", "resource \"terraform_data\" \"a\" {}\n");
  const auto outcome = follow("module \"m\" {\n  source = \"./m\"\n  count = 1\n}\n",
                              state_with({"module.m.terraform_data.a"}));

  EXPECT_THAT(contents(outcome.state),
              ElementsAre("module.m[0].terraform_data.a <- module.m.terraform_data.a"));
}

TEST_F(Moves, ABlockAboutAResourceOfAModuleLeavesNothingImpliedForIt) {
  write("./m", "resource \"terraform_data\" \"a\" {}\n");
  const auto outcome = follow("module \"m\" {\n  source = \"./m\"\n  count = 1\n}\n" +
                                  moved("terraform_data.x", "module.m.terraform_data.y"),
                              state_with({"module.m.terraform_data.a"}));

  EXPECT_THAT(moved_in(outcome), IsEmpty());
}

TEST_F(Moves, NothingMovesInACircle) {
  const auto outcome = follow(moved("terraform_data.a", "terraform_data.b") +
                                  moved("terraform_data.b", "terraform_data.a") +
                                  moved("terraform_data.x", "terraform_data.y"),
                              state_with({"terraform_data.a", "terraform_data.x"}));

  EXPECT_THAT(contents(outcome.state), ElementsAre("terraform_data.a", "terraform_data.x"));
}

TEST_F(Moves, APriorStateIsNotChanged) {
  const state::State prior = state_with({"terraform_data.a"});

  const auto outcome = follow(moved("terraform_data.a", "terraform_data.b"), prior);

  EXPECT_THAT(contents(prior), ElementsAre("terraform_data.a"));
  EXPECT_THAT(contents(outcome.state), ElementsAre("terraform_data.b <- terraform_data.a"));
}

TEST_F(Moves, DeposedObjectsMoveAlong) {
  state::State prior = state_with({"terraform_data.a"});
  prior.set_object(instance("terraform_data.a"), "00000001", state::Object(state::ObjectFields{}),
                   {{{}, addrs::builtin_provider("terraform"), ""}, {}});

  const auto outcome = follow(moved("terraform_data.a", "terraform_data.b"), prior);

  EXPECT_NE(outcome.state.object(instance("terraform_data.b"), "00000001"), nullptr);
}

TEST_F(Moves, ManyMovesOfOneResourceAreFollowedOneByOne) {
  constexpr int kMany = 3000;
  std::string root;
  state::State prior;
  for (int i = 0; i < kMany; ++i) {
    root += moved(fmt::format("terraform_data.a[{}]", i), fmt::format("terraform_data.b[{}]", i));
    root += moved(fmt::format("terraform_data.b[{}]", i),
                  fmt::format("module.m[{}].terraform_data.c", i));
    root += moved(fmt::format("module.m[{}]", i), fmt::format("module.n[\"{}\"]", i));
    put(prior, fmt::format("terraform_data.a[{}]", i));
  }

  const auto outcome = follow(root, prior);

  ASSERT_EQ(outcome.moved.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(outcome.moved_from(instance("module.n[\"2999\"].terraform_data.c"))->address,
            instance("terraform_data.a[2999]"));
}

}  // namespace
}  // namespace tofu::engine
