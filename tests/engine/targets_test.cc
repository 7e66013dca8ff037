#include "engine/targets.h"

#include <gmock/gmock.h>

#include "tests/engine/configured.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

addrs::Target target(std::string_view text) {
  diag::Diagnostics diags;
  return *addrs::parse_text(text, addrs::parse_target, diags);
}

TargetOptions only(std::initializer_list<std::string_view> texts) {
  TargetOptions options;
  for (const std::string_view text : texts) options.targets.push_back(target(text));
  return options;
}

TargetOptions without(std::initializer_list<std::string_view> texts) {
  TargetOptions options;
  for (const std::string_view text : texts) options.excludes.push_back(target(text));
  return options;
}

addrs::AbsResource resource(std::string_view text) { return addrs::resource_of(instance(text)); }

std::string block(std::string_view name, std::string_view input = {}) {
  return fmt::format("resource \"terraform_data\" \"{}\" {{\n  input = [{}]\n}}\n", name, input);
}

// The row of a resource, an output or the like by how it is described.
eval::ObjectId row(const eval::Program& program, const std::string& name) {
  for (std::uint32_t i = 0; i < program.objects.size(); ++i) {
    if (eval::describe(program, {i}) == name) return {i};
  }
  ADD_FAILURE() << name;
  return {};
}

class Targets : public Configured {
 protected:
  Targeting choose(std::string root, const TargetOptions& options, const state::State& state = {}) {
    write(".", std::move(root));
    program_ = compiled();
    return Targeting(program_, state, options);
  }
  // Everything that takes part but starts and ends of modules, and implied
  // configurations of providers.
  std::vector<std::string> chosen(const Targeting& targeting) {
    std::vector<std::string> out;
    const std::size_t written = program_.objects.size() - program_.implicit_providers.size();
    for (std::uint32_t i = 0; i < written; ++i) {
      const auto kind = program_.objects[i].kind;
      if (kind == eval::ObjectKind::ModuleStart || kind == eval::ObjectKind::ModuleEnd) continue;
      if (targeting.has({i})) out.push_back(eval::describe(program_, {i}));
    }
    std::ranges::sort(out);
    return out;
  }
  std::vector<std::string> chosen(std::string root, const TargetOptions& options) {
    return chosen(choose(std::move(root), options));
  }

  eval::Program program_;
};

const std::string kChain =
    block("a") + block("b", "terraform_data.a") + block("c", "terraform_data.b") + block("other");

TEST_F(Targets, WithoutAnyEverythingTakesPart) {
  const Targeting all = choose(kChain, {});

  EXPECT_TRUE(all.is_everything());
  EXPECT_TRUE(all.has(row(program_, "terraform_data.other")));
  EXPECT_TRUE(all.has_orphan(instance("terraform_data.gone")));
}

TEST_F(Targets, ATargetTakesAlongWhatItDependsOn) {
  EXPECT_THAT(chosen(kChain, only({"terraform_data.b"})),
              ElementsAre("terraform_data.a", "terraform_data.b"));
}

TEST_F(Targets, AnExcludedResourceTakesOutWhatDependsOnIt) {
  EXPECT_THAT(chosen(kChain, without({"terraform_data.b"})),
              ElementsAre("terraform_data.a", "terraform_data.other"));
}

TEST_F(Targets, DependenciesGoThroughLocals) {
  const std::string root =
      "locals {\n  v = terraform_data.a.id\n}\n" + block("a") + block("b", "local.v") + block("c");

  EXPECT_THAT(chosen(root, only({"terraform_data.b"})),
              ElementsAre("local.v", "terraform_data.a", "terraform_data.b"));
  EXPECT_THAT(chosen(root, without({"terraform_data.a"})), ElementsAre("terraform_data.c"));
}

TEST_F(Targets, WhatMatchesNothingIsNoMistake) {
  EXPECT_THAT(chosen(kChain, only({"terraform_data.none", "module.none"})), IsEmpty());
  EXPECT_THAT(chosen(kChain, without({"module.none"})).size(), 4U);
  EXPECT_TRUE(diags_.empty());
}

TEST_F(Targets, AKeyLimitsTheInstancesOfTheTargetOnly) {
  const Targeting targeting =
      choose(kChain, only({"terraform_data.b[1]", "terraform_data.b[\"x\"]"}));

  const auto b =
      targeting.instances_of(row(program_, "terraform_data.b"), resource("terraform_data.b"));
  EXPECT_FALSE(b.includes(addrs::InstanceKey(0)));
  EXPECT_TRUE(b.includes(addrs::InstanceKey(1)));
  EXPECT_TRUE(b.includes(addrs::InstanceKey("x")));
  EXPECT_TRUE(
      targeting.instances_of(row(program_, "terraform_data.a"), resource("terraform_data.a"))
          .is_all());
}

TEST_F(Targets, AnExcludedInstanceTakesOutWhatDependsOnItsResource) {
  const Targeting targeting = choose(kChain, without({"terraform_data.b[1]"}));

  EXPECT_THAT(chosen(targeting),
              ElementsAre("terraform_data.a", "terraform_data.b", "terraform_data.other"));
  const auto b =
      targeting.instances_of(row(program_, "terraform_data.b"), resource("terraform_data.b"));
  EXPECT_TRUE(b.includes(addrs::InstanceKey(0)));
  EXPECT_FALSE(b.includes(addrs::InstanceKey(1)));
}

TEST_F(Targets, AModuleIsEverythingInIt) {
  write("./m", block("x") + "output \"o\" {\n  value = terraform_data.x.id\n}\n");
  const std::string root = "module \"m\" {\n  source = \"./m\"\n  count = 2\n}\n" + block("a") +
                           block("b", "module.m[0].o");

  EXPECT_THAT(chosen(root, only({"module.m"})), ElementsAre("module.m.terraform_data.x"));
  EXPECT_THAT(chosen(root, without({"module.m"})), ElementsAre("terraform_data.a"));
  EXPECT_THAT(chosen(root, only({"terraform_data.b"})),
              ElementsAre("module.m.output.o", "module.m.terraform_data.x", "terraform_data.b"));
}

TEST_F(Targets, AnInstanceOfAModuleIsEverythingInThatInstance) {
  write("./m", block("x"));
  const Targeting targeting =
      choose("module \"m\" {\n  source = \"./m\"\n  count = 2\n}\n", only({"module.m[1]"}));

  const auto x = row(program_, "module.m.terraform_data.x");
  EXPECT_TRUE(targeting.has(x));
  EXPECT_TRUE(targeting.instances_of(x, resource("module.m[1].terraform_data.x")).is_all());
  EXPECT_TRUE(targeting.instances_of(x, resource("module.m[0].terraform_data.x")).is_none());
}

TEST_F(Targets, WhatTheKeysOfAModuleDependOnTakesPart) {
  write("./m", block("x"));
  const std::string root = block("a") +
                           "module \"m\" {\n  source = \"./m\"\n"
                           "  count = length(terraform_data.a.input)\n}\n";

  EXPECT_THAT(chosen(root, only({"module.m.terraform_data.x"})),
              ElementsAre("module.m.terraform_data.x", "terraform_data.a"));
  EXPECT_THAT(chosen(root, without({"terraform_data.a"})), IsEmpty());
}

TEST_F(Targets, AnOutputTakesPartIfAllItsResourcesDo) {
  const std::string root = kChain +
                           "output \"in\" {\n  value = terraform_data.b.id\n}\n"
                           "output \"half\" {\n"
                           "  value = [terraform_data.b.id, terraform_data.c.id]\n}\n"
                           "output \"constant\" {\n  value = 1\n}\n";

  EXPECT_THAT(chosen(root, only({"terraform_data.b"})),
              ElementsAre("output.in", "terraform_data.a", "terraform_data.b"));
}

TEST_F(Targets, AValidatedVariableTakesPartIfAllItsResourcesDo) {
  write("./m",
        "variable \"v\" {\n  validation {\n    condition = var.v != \"\"\n"
        "    error_message = \"no\"\n  }\n}\nvariable \"free\" {\n}\n");
  const auto call = [](std::string_view name, std::string_view value) {
    return fmt::format("module \"{}\" {{\n  source = \"./m\"\n  v = {}\n  free = {}\n}}\n", name,
                       value, value);
  };
  const std::string root = kChain + call("in", "terraform_data.b.id") +
                           call("out", "[terraform_data.b.id, terraform_data.c.id]") +
                           call("constant", "1");

  EXPECT_THAT(chosen(root, without({"terraform_data.c", "terraform_data.other"})),
              ElementsAre("module.in.var.v", "module.in.var.v (argument)", "terraform_data.a",
                          "terraform_data.b"));
}

TEST_F(Targets, ChecksDoNotTakePart) {
  const std::string root =
      block("a") +
      "check \"c\" {\n  assert {\n    condition = terraform_data.a.id != \"\"\n"
      "    error_message = \"no\"\n  }\n}\n";

  EXPECT_THAT(chosen(root, only({"terraform_data.a"})), ElementsAre("terraform_data.a"));
  EXPECT_THAT(chosen(root, without({"terraform_data.none"})), ElementsAre("terraform_data.a"));
}

TEST_F(Targets, WhatHasNoConfigurationIsChosenByItsAddress) {
  const state::State state =
      state_with({"terraform_data.gone[0]", "terraform_data.gone[1]", "module.n.terraform_data.x"});

  const Targeting some = choose(kChain, only({"terraform_data.gone[1]", "module.n"}), state);
  EXPECT_FALSE(some.has_orphan(instance("terraform_data.gone[0]")));
  EXPECT_TRUE(some.has_orphan(instance("terraform_data.gone[1]")));
  EXPECT_TRUE(some.has_orphan(instance("module.n.terraform_data.x")));
  EXPECT_THAT(chosen(some), IsEmpty());

  const Targeting most = choose(kChain, without({"terraform_data.gone[1]"}), state);
  EXPECT_TRUE(most.has_orphan(instance("terraform_data.gone[0]")));
  EXPECT_FALSE(most.has_orphan(instance("terraform_data.gone[1]")));
}

TEST_F(Targets, WhatHasNoConfigurationStaysIfItsModuleDependsOnTheExcluded) {
  write("./m", block("x"));
  const Targeting targeting =
      choose(block("a") +
                 "module \"m\" {\n  source = \"./m\"\n"
                 "  count = length(terraform_data.a.input)\n}\n",
             without({"terraform_data.a"}),
             state_with({"module.m[0].terraform_data.gone", "terraform_data.gone"}));

  EXPECT_FALSE(targeting.has_orphan(instance("module.m[0].terraform_data.gone")));
  EXPECT_TRUE(targeting.has_orphan(instance("terraform_data.gone")));
}

TEST_F(Targets, AnExcludedResourceStaysInModuleInstancesThatAreGone) {
  write("./m", block("x") + block("y"));
  const Targeting targeting =
      choose("module \"m\" {\n  source = \"./m\"\n}\n", without({"module.m.terraform_data.x"}),
             state_with({"module.m[\"a\"].terraform_data.x", "module.m[\"a\"].terraform_data.y"}));

  EXPECT_FALSE(targeting.has_orphan(instance("module.m[\"a\"].terraform_data.x")));
  EXPECT_TRUE(targeting.has_orphan(instance("module.m[\"a\"].terraform_data.y")));
}

TEST_F(Targets, DeposedObjectsOfWhatIsOnlyNeededStay) {
  const state::State state = state_with({"terraform_data.a", "terraform_data.b"});
  const Targeting targeting = choose(kChain, only({"terraform_data.b"}), state);

  EXPECT_FALSE(targeting.has_deposed(instance("terraform_data.a")));
  EXPECT_TRUE(targeting.has_deposed(instance("terraform_data.b")));
}

TEST_F(Targets, DeposedObjectsTakePartUnlessTheyAreExcludedThemselves) {
  const state::State state = state_with({"terraform_data.a", "terraform_data.b"});
  const Targeting targeting = choose(kChain, without({"terraform_data.a"}), state);

  EXPECT_FALSE(targeting.has_deposed(instance("terraform_data.a")));
  EXPECT_TRUE(targeting.has_deposed(instance("terraform_data.b")));
  EXPECT_FALSE(targeting.has_orphan(instance("terraform_data.b")));
}

TEST_F(Targets, DeposedObjectsStayIfTheirModuleDependsOnTheExcluded) {
  write("./m", block("x"));
  const Targeting targeting =
      choose(block("a") +
                 "module \"m\" {\n  source = \"./m\"\n"
                 "  count = length(terraform_data.a.input)\n}\n",
             without({"terraform_data.a"}), state_with({"module.m[0].terraform_data.x"}));

  EXPECT_FALSE(targeting.has_deposed(instance("module.m[0].terraform_data.x")));
}

class DestroyTargets : public Configured {
 protected:
  // Adds an instance that depends on others.
  void made(std::string_view address, std::initializer_list<std::string_view> dependencies = {}) {
    std::vector<addrs::ConfigResource> list;
    for (const std::string_view each : dependencies) {
      list.push_back(addrs::config_of(instance(each)));
    }
    put(state_, address);
    state_.set_object(instance(address), "",
                      state_.object(instance(address))->with_dependencies(list),
                      {{{}, addrs::builtin_provider("terraform"), ""}, {}});
  }
  std::vector<std::string> destroyed(const TargetOptions& options) {
    const DestroyTargeting targeting(state_, options);
    std::vector<std::string> out;
    for (const state::Resource* each : state_.resources()) {
      each->for_each([&](const state::Instance& object) {
        const auto address = addrs::instance_of(each->address(), object.key());
        if (targeting.has(address)) out.push_back(address.to_string());
      });
    }
    std::ranges::sort(out);
    return out;
  }

  state::State state_;
};

TEST_F(DestroyTargets, WhatDependsOnATargetIsDestroyedToo) {
  made("x.a");
  made("x.b", {"x.a"});
  made("x.c", {"x.b"});
  made("x.d");

  EXPECT_THAT(destroyed(only({"x.b"})), ElementsAre("x.b", "x.c"));
  EXPECT_THAT(destroyed({}).size(), 4U);
}

TEST_F(DestroyTargets, WhatTheExcludedDependsOnIsKept) {
  made("x.a");
  made("x.b", {"x.a"});
  made("x.c", {"x.b"});
  made("x.d");

  EXPECT_THAT(destroyed(without({"x.b"})), ElementsAre("x.c", "x.d"));
}

TEST_F(DestroyTargets, InstancesDependOnWholeResources) {
  made("x.a[0]");
  made("x.a[1]");
  made("x.b[0]", {"x.a"});
  made("x.b[1]", {"x.a"});

  EXPECT_THAT(destroyed(only({"x.a[0]"})), ElementsAre("x.a[0]", "x.b[0]", "x.b[1]"));
  EXPECT_THAT(destroyed(without({"x.b[0]"})), ElementsAre("x.b[1]"));
}

TEST_F(DestroyTargets, InstancesOfOneModuleDoNotDependOnEachOther) {
  for (const char* module : {"module.m[0]", "module.m[1]"}) {
    made(fmt::format("{}.x.a", module));
    made(fmt::format("{}.x.b", module), {"module.m.x.a"});
  }
  made("x.c", {"module.m.x.b"});

  EXPECT_THAT(destroyed(only({"module.m[0].x.a"})),
              ElementsAre("module.m[0].x.a", "module.m[0].x.b", "x.c"));
  EXPECT_THAT(destroyed(without({"module.m[1].x.b"})),
              ElementsAre("module.m[0].x.a", "module.m[0].x.b", "x.c"));
  EXPECT_THAT(destroyed(without({"x.c"})), IsEmpty());
}

TEST_F(DestroyTargets, ManyInstancesThatDependOnManyAreFollowed) {
  constexpr int kMany = 3000;
  for (int i = 0; i < kMany; ++i) made(fmt::format("x.a[{}]", i));
  for (int i = 0; i < kMany; ++i) made(fmt::format("x.b[{}]", i), {"x.a"});

  EXPECT_EQ(destroyed(only({"x.a"})).size(), 2U * kMany);
  EXPECT_EQ(destroyed(without({"x.b"})).size(), 0U);
}

class TargetedMoves : public Targets {
 protected:
  std::string problem(const TargetOptions& options) {
    write(".", "moved {\n  from = terraform_data.a\n  to = terraform_data.b\n}\n");
    program_ = compiled();
    diag::Diagnostics diags;
    check_targeted_moves(apply_moves(*program_.tree, state_with({"terraform_data.a"})), options,
                         diags);
    return diags.empty() ? "" : diags.items()[0].detail;
  }
};

TEST_F(TargetedMoves, ATargetHasToHaveBothEnds) {
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem(only({"terraform_data.a", "terraform_data.b"})), "");
  const std::string half = problem(only({"terraform_data.b"}));
  EXPECT_THAT(half, HasSubstr("-target=\"terraform_data.a\""));
  EXPECT_THAT(half, Not(HasSubstr("-target=\"terraform_data.b\"")));
}

TEST_F(TargetedMoves, NeitherEndIsExcluded) {
  EXPECT_EQ(problem(without({"terraform_data.c"})), "");
  EXPECT_THAT(problem(without({"terraform_data.a"})), HasSubstr("-exclude=\"terraform_data.a\""));
  EXPECT_THAT(problem(without({"terraform_data.b"})), HasSubstr("-exclude=\"terraform_data.b\""));
}

TEST(TargetIndex, SaysTheSameAsEachTarget) {
  const std::vector<std::string> targets = {
      "module.m", "module.m[0]", "module.m[\"k\"]", "module.m.module.n", "module.m[0].module.n",
      "x.a",      "x.a[0]",      "x.a[\"k\"]",      "module.m.x.a",      "module.m[0].x.a[1]"};
  const std::vector<std::string> addresses = {"x.a",
                                              "x.a[0]",
                                              "x.a[\"k\"]",
                                              "x.b[0]",
                                              "module.m.x.a",
                                              "module.m.x.a[1]",
                                              "module.m[0].x.a",
                                              "module.m[0].x.a[1]",
                                              "module.m[1].x.a",
                                              "module.m[\"k\"].x.a",
                                              "module.m.module.n.x.a",
                                              "module.m[0].module.n[2].x.a",
                                              "module.m.module.n[2].x.a",
                                              "module.n.x.a"};
  for (const std::string& text : targets) {
    const addrs::Target one = target(text);
    const TargetIndex index({one});
    for (const std::string& address : addresses) {
      EXPECT_EQ(index.contains(instance(address)),
                addrs::target_contains(one, addrs::Target(instance(address))))
          << text << " " << address;
      const auto config = addrs::config_of(instance(address));
      EXPECT_EQ(index.contains_all(config), addrs::target_contains(one, config))
          << text << " " << config.to_string();
    }
  }
}

}  // namespace
}  // namespace tofu::engine
