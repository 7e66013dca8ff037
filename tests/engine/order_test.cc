#include "engine/order.h"

#include <gmock/gmock.h>
#include <map>
#include <optional>
#include <set>

#include "engine/program_rows.h"
#include "tests/engine/configured.h"

namespace tofu::engine {
namespace {

using plans::Action;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kResource =
    "resource \"terraform_data\" \"{}\" {{\n  input = [{}]\n}}\n";

// A program, a state and changes made by hand. Resources are of the type terraform_data
// and are given by the rest of their address.
class Order : public Configured {
 protected:
  static addrs::AbsResourceInstance at(std::string_view address) {
    const std::size_t name = address.rfind('.');
    return name == std::string_view::npos
               ? instance(fmt::format("terraform_data.{}", address))
               : instance(fmt::format("{}.terraform_data.{}", address.substr(0, name),
                                      address.substr(name + 1)));
  }
  static std::string block(std::string_view name, std::string_view input = {}) {
    return fmt::format(kResource, name, input);
  }
  static std::string uses(std::string_view name) { return fmt::format("terraform_data.{}", name); }

  // An object of the state.
  void had(std::string_view address, std::initializer_list<std::string_view> needs = {},
           bool create_before_destroy = false, const std::string& deposed = {}) {
    state::ObjectFields fields{.create_before_destroy = create_before_destroy};
    for (const std::string_view need : needs) {
      fields.dependencies.push_back(addrs::config_of(at(need)));
    }
    state_.set_object(at(address), deposed, state::Object(fields), provider());
  }
  void change(std::string_view address, Action action, const std::string& deposed = {}) {
    const addrs::AbsResourceInstance instance = at(address);
    plans::Addresses& table = plan_.addresses;
    plans::ResourceChange made{
        .resource = table.resource(table.module(instance.module), instance.object.resource,
                                   provider().config.provider),
        .provider = table.provider(provider()),
        .key = instance.object.key,
        .action = action};
    if (!deposed.empty()) {
      plans::ChangeDetails details;
      details.deposed = deposed;
      made.details = std::make_unique<plans::ChangeDetails>(std::move(details));
    }
    plan_.changes.push_back(std::move(made));
  }
  addrs::AbsProviderInstance provider() const {
    return {{{}, addrs::builtin_provider("terraform"), alias_}, {}};
  }

  void put_in_order(std::string root) {
    write(".", std::move(root));
    program_ = compiled();
    plan_.rows = bound_rows(program_, plan_.addresses);
    computed_ = execution_order(program_, plan_, state_);
    graph_.emplace(execution_graph(program_, computed_.order));
    nodes_.clear();
    for (std::uint32_t node = 0; node < computed_.order.rows; ++node) {
      nodes_["make " + short_name(eval::describe(program_, {node}))] = node;
    }
    for (std::uint32_t node = computed_.order.rows; node < graph_->waits.size(); ++node) {
      const plans::Step& step = graph_->step(node);
      if (step.kind == plans::StepKind::Make) nodes_["make " + name_of(step.subject)] = node;
      if (step.kind == plans::StepKind::Destroy) nodes_["destroy " + name_of(step.subject)] = node;
      if (step.kind != plans::StepKind::Forget) continue;
      for (const std::uint32_t position : computed_.order.forgets) {
        nodes_["forget " + name_of(position)] = node;
      }
    }
  }
  std::string name_of(std::uint32_t position) const {
    const plans::ResourceChange& each = plan_.changes[position];
    std::string name = short_name(plan_.addresses.instance(each.resource, each.key).to_string());
    return each.deposed().empty() ? name : name + " deposed";
  }

  // Whether one has to wait for the other, directly or not.
  bool is_after(const std::string& later, const std::string& earlier) const {
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> open = {nodes_.at(later)};
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      for (const std::uint32_t next : graph_->waits.of(node)) {
        if (next == nodes_.at(earlier)) return true;
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    return false;
  }
  bool are_free(const std::string& one, const std::string& other) const {
    return !is_after(one, other) && !is_after(other, one);
  }

  static std::string short_name(std::string text) {
    for (std::size_t at = 0; (at = text.find("terraform_data.")) != std::string::npos;) {
      text.erase(at, std::string_view("terraform_data.").size());
    }
    return text;
  }

  std::string alias_;
  state::State state_;
  plans::Plan plan_;
  eval::Program program_;
  ComputedOrder computed_;
  std::optional<ExecutionGraph> graph_;
  std::map<std::string, std::uint32_t> nodes_;
};

TEST_F(Order, WithoutDestroysTheProgramDecides) {
  change("a", Action::Create);
  put_in_order(block("a"));

  EXPECT_EQ(graph_->waits.edges, program_.waits.edges);
  EXPECT_EQ(graph_->waits.size(), computed_.order.rows);
}

TEST_F(Order, WhatDependsOnAResourceIsDestroyedFirst) {
  had("a");
  had("b", {"a"});
  change("a", Action::Delete);
  change("b", Action::Delete);
  put_in_order("");

  EXPECT_TRUE(is_after("destroy a", "destroy b"));
  EXPECT_THAT(computed_.cycles, IsEmpty());
}

TEST_F(Order, WhatDoesNotDependOnEachOtherIsFree) {
  had("a");
  had("b");
  change("a", Action::Delete);
  change("b", Action::Delete);
  put_in_order("");

  EXPECT_TRUE(are_free("destroy a", "destroy b"));
}

TEST_F(Order, AReplacedObjectIsDestroyedThenMade) {
  had("a");
  change("a", Action::DeleteThenCreate);
  put_in_order(block("a"));

  EXPECT_TRUE(is_after("make a", "destroy a"));
}

TEST_F(Order, AnInstanceThatIsReplacedDoesNotWaitForOthers) {
  had("a[0]");
  had("a[1]");
  change("a[0]", Action::DeleteThenCreate);
  change("a[1]", Action::DeleteThenCreate);
  put_in_order(block("a"));

  EXPECT_TRUE(is_after("make a[0]", "destroy a[0]"));
  EXPECT_TRUE(are_free("make a[0]", "destroy a[1]"));
  EXPECT_TRUE(are_free("make a[0]", "make a[1]"));
  EXPECT_TRUE(is_after("make a", "make a[0]"));
}

TEST_F(Order, InstancesWaitForWhatTheirOwnObjectsDependOn) {
  had("a");
  had("b[0]", {"a"});
  had("b[1]");
  change("a", Action::Delete);
  change("b[0]", Action::Update);
  change("b[1]", Action::Update);
  put_in_order(block("b"));

  EXPECT_TRUE(is_after("make b[0]", "destroy a"));
  EXPECT_TRUE(are_free("make b[1]", "destroy a"));
}

TEST_F(Order, InstancesOfAModuleAreChangedApart) {
  for (const char* module : {"module.m[0]", "module.m[1]"}) {
    had(fmt::format("{}.a", module));
    had(fmt::format("{}.b", module), {"module.m.a"});
    change(fmt::format("{}.a", module), Action::Delete);
    change(fmt::format("{}.b", module), Action::Update);
  }
  write("./m", block("b"));
  put_in_order("module \"m\" {\n  source = \"./m\"\n  count = 2\n}\n");

  EXPECT_TRUE(is_after("make module.m[0].b", "destroy module.m[0].a"));
  EXPECT_TRUE(are_free("make module.m[0].b", "destroy module.m[1].a"));
}

TEST_F(Order, AReplacedChainIsDestroyedFromItsEndAndMadeFromItsBeginning) {
  had("a");
  had("b", {"a"});
  change("a", Action::DeleteThenCreate);
  change("b", Action::DeleteThenCreate);
  put_in_order(block("a") + block("b", uses("a")));

  EXPECT_TRUE(is_after("destroy a", "destroy b"));
  EXPECT_TRUE(is_after("make a", "destroy a"));
  EXPECT_TRUE(is_after("make b", "make a"));
  EXPECT_THAT(computed_.cycles, IsEmpty());
}

TEST_F(Order, WithCreateBeforeDestroyTheOldObjectGoesLast) {
  had("a");
  had("b", {"a"});
  change("a", Action::CreateThenDelete);
  change("b", Action::Update);
  put_in_order(block("a") + block("b", uses("a")));

  EXPECT_TRUE(is_after("destroy a", "make a"));
  EXPECT_TRUE(is_after("destroy a", "make b"));
  EXPECT_THAT(computed_.cycles, IsEmpty());
}

TEST_F(Order, AChainWithCreateBeforeDestroyIsMadeWhollyThenDestroyed) {
  had("a");
  had("b", {"a"});
  change("a", Action::CreateThenDelete);
  change("b", Action::CreateThenDelete);
  put_in_order(block("a") + block("b", uses("a")));

  EXPECT_TRUE(is_after("destroy b", "make b"));
  EXPECT_TRUE(is_after("destroy a", "destroy b"));
  EXPECT_THAT(computed_.cycles, IsEmpty());
}

TEST_F(Order, WhatIsMadeFirstMayBeUsedByWhatIsDestroyedFirst) {
  had("a");
  had("b", {"a"});
  change("a", Action::CreateThenDelete);
  change("b", Action::DeleteThenCreate);
  put_in_order(block("a") + block("b", uses("a")));

  EXPECT_TRUE(is_after("make a", "destroy b"));
  EXPECT_TRUE(is_after("make b", "make a"));
  EXPECT_TRUE(is_after("destroy a", "make b"));
  EXPECT_THAT(computed_.cycles, IsEmpty());
}

TEST_F(Order, ADependencyIsChangedAfterItsUserIsDestroyed) {
  had("a");
  had("b", {"a"});
  change("a", Action::Update);
  change("b", Action::Delete);
  put_in_order(block("a"));

  EXPECT_TRUE(is_after("make a", "destroy b"));
}

TEST_F(Order, AUserIsChangedAfterItsDependencyIsDestroyed) {
  had("a");
  had("b", {"a"});
  change("a", Action::Delete);
  change("b", Action::Update);
  put_in_order(block("b"));

  EXPECT_TRUE(is_after("make b", "destroy a"));
}

TEST_F(Order, AUserIsChangedBeforeItsDependencyIsDestroyedIfThatGoesLast) {
  had("a", {}, true);
  had("b", {"a"});
  change("a", Action::Delete);
  change("b", Action::Update);
  put_in_order(block("b"));

  EXPECT_TRUE(is_after("destroy a", "make b"));
  EXPECT_THAT(computed_.cycles, IsEmpty());
}

TEST_F(Order, ObjectsWithoutChangesDoNotMatter) {
  had("a");
  had("b", {"a"});
  change("a", Action::NoOp);
  change("b", Action::Delete);
  put_in_order(block("a"));

  EXPECT_TRUE(are_free("make a", "destroy b"));
}

TEST_F(Order, ADeposedObjectGoesAfterItsSuccessorIsChanged) {
  had("a", {}, true);
  had("a", {}, true, "00000001");
  change("a", Action::Update);
  change("a", Action::Delete, "00000001");
  put_in_order(block("a"));

  EXPECT_TRUE(is_after("destroy a deposed", "make a"));
}

TEST_F(Order, ADeposedObjectOfAnotherInstanceIsFree) {
  had("a[0]");
  had("a[1]", {}, true, "00000001");
  change("a[0]", Action::Update);
  change("a[1]", Action::Delete, "00000001");
  put_in_order(block("a"));

  EXPECT_TRUE(are_free("destroy a[1] deposed", "make a"));
}

TEST_F(Order, InstancesThatGoForGoodAreFreeOfThoseThatStay) {
  had("a[0]");
  had("a[1]");
  change("a[0]", Action::Update);
  change("a[1]", Action::Delete);
  put_in_order(block("a"));

  EXPECT_TRUE(are_free("make a", "destroy a[1]"));
}

TEST_F(Order, WhatIsForgottenWaitsForNothing) {
  had("a");
  had("b", {"a"});
  change("a", Action::Forget);
  change("b", Action::Delete);
  put_in_order("");

  EXPECT_THAT(graph_->waits.of(nodes_["forget a"]), IsEmpty());
  EXPECT_TRUE(are_free("forget a", "destroy b"));
}

TEST_F(Order, WhatIsForgottenAndMadeAnewIsTheAffairOfItsRow) {
  had("a");
  change("a", Action::ForgetThenCreate);
  put_in_order(block("a"));

  EXPECT_EQ(graph_->waits.size(), computed_.order.rows);
}

TEST_F(Order, InstancesOfAModuleAreDestroyedApart) {
  for (const char* module : {"module.m[0]", "module.m[1]"}) {
    had(fmt::format("{}.a", module));
    had(fmt::format("{}.b", module), {"module.m.a"});
    change(fmt::format("{}.a", module), Action::Delete);
    change(fmt::format("{}.b", module), Action::Delete);
  }
  put_in_order("");

  EXPECT_TRUE(is_after("destroy module.m[0].a", "destroy module.m[0].b"));
  EXPECT_TRUE(are_free("destroy module.m[0].a", "destroy module.m[1].b"));
}

TEST_F(Order, ModulesThatDependOnOthersAreDestroyedBeforeAllOfThem) {
  for (const char* key : {"[0]", "[1]"}) {
    had(fmt::format("module.m{}.a", key));
    had(fmt::format("module.n{}.b", key), {"module.m.a"});
    change(fmt::format("module.m{}.a", key), Action::Delete);
    change(fmt::format("module.n{}.b", key), Action::Delete);
  }
  put_in_order("");

  EXPECT_TRUE(is_after("destroy module.m[0].a", "destroy module.n[1].b"));
}

TEST_F(Order, NewInstancesWaitForWhatGoesOfTheirDependencies) {
  had("a[1]");
  change("a[1]", Action::Delete);
  change("c", Action::Create);
  put_in_order(block("a") + "locals {\n  l = terraform_data.a\n}\n" + block("c", "local.l"));

  EXPECT_TRUE(is_after("make c", "destroy a[1]"));
}

TEST_F(Order, WhatGoesLastWaitsForNewInstances) {
  had("a");
  change("a", Action::CreateThenDelete);
  change("c", Action::Create);
  change("d", Action::Create);
  put_in_order(block("a") + "locals {\n  l = terraform_data.a\n}\n" + block("c", "local.l") +
               block("d"));

  EXPECT_TRUE(is_after("destroy a", "make c"));
  EXPECT_TRUE(are_free("destroy a", "make d"));
}

TEST_F(Order, ACycleIsToldWhole) {
  had("a");
  had("b", {"a"});
  change("a", Action::DeleteThenCreate);
  change("b", Action::CreateThenDelete);
  put_in_order(block("a") + block("b", uses("a")));

  ASSERT_EQ(computed_.cycles.size(), 1U);
  EXPECT_FALSE(set_order(program_, plan_, state_, diags_));
  EXPECT_FALSE(plan_.order.has_value());
  ASSERT_EQ(diags_.items().size(), 1U);
  EXPECT_THAT(diags_.items()[0].detail, HasSubstr("terraform_data.a (destroy)"));
  EXPECT_THAT(diags_.items()[0].detail, HasSubstr("\n  terraform_data.b (destroy)"));
}

// b was made anew and its old object could not be destroyed. Both need a, which goes.
TEST_F(Order, ADeposedObjectGoesBeforeItsSuccessorIsChangedIfThatWouldWaitForIt) {
  had("a");
  had("b", {"a"});
  had("b", {"a"}, true, "0001");
  change("a", Action::Delete);
  change("b", Action::Update);
  change("b", Action::Delete, "0001");
  put_in_order(block("b"));
  EXPECT_THAT(computed_.cycles, IsEmpty());
  EXPECT_TRUE(is_after("destroy a", "destroy b deposed"));
  EXPECT_TRUE(is_after("make b", "destroy a"));
}

// When b was made, new objects came first; by now it is not declared any more.
TEST_F(Order, WhatGoesLastGoesBeforeSomethingThatIsDestroyedToBeMadeAnew) {
  had("a", {}, true);
  had("b", {"a"}, true);
  change("a", Action::DeleteThenCreate);
  change("b", Action::Delete);
  put_in_order(block("a"));
  EXPECT_THAT(computed_.cycles, IsEmpty());
  EXPECT_TRUE(is_after("destroy a", "destroy b"));
  EXPECT_TRUE(is_after("make a", "destroy a"));
}

// b comes first and what it was made of goes first: b does not need that any more.
TEST_F(Order, AUserIsChangedBeforeItsDependencyIsDestroyedIfThatWaitsForItsOldObject) {
  had("a");
  had("b", {"a"}, true);
  change("a", Action::Delete);
  change("b", Action::CreateThenDelete);
  put_in_order(block("b"));
  EXPECT_THAT(computed_.cycles, IsEmpty());
  EXPECT_TRUE(is_after("destroy b", "make b"));
  EXPECT_TRUE(is_after("destroy a", "destroy b"));
}

// c needs neither a nor b any more; b goes after what needed it is changed, and before a.
TEST_F(Order, AFormerUserIsChangedBeforeWhatGoesLast) {
  had("a");
  had("b", {"a"}, true);
  had("c", {"a", "b"});
  change("a", Action::DeleteThenCreate);
  change("b", Action::Delete);
  change("c", Action::Update);
  put_in_order(block("a") + block("c"));
  EXPECT_THAT(computed_.cycles, IsEmpty());
  EXPECT_TRUE(is_after("destroy b", "make c"));
  EXPECT_TRUE(is_after("destroy a", "destroy b"));
  EXPECT_TRUE(is_after("make a", "destroy a"));
}

TEST_F(Order, ManyChangesThatWaitForEachOtherAreUntangled) {
  constexpr int kMany = 200;
  std::string config;
  for (int i = 0; i < kMany; ++i) {
    const std::string name = fmt::format("b{}", i);
    had(name, {"a"}, true);
    change(name, Action::CreateThenDelete);
    config += block(name);
  }
  had("a");
  change("a", Action::Delete);
  put_in_order(config);
  EXPECT_THAT(computed_.cycles, IsEmpty());
  EXPECT_TRUE(is_after("destroy a", "destroy b0"));
  EXPECT_TRUE(is_after("destroy b199", "make b199"));
}

TEST_F(Order, BetweenProvidersAnEdgeThatClosesACycleIsLeftOut) {
  had("a");
  had("b", {"a"});
  change("a", Action::DeleteThenCreate);
  alias_ = "other";
  change("b", Action::CreateThenDelete);
  put_in_order(block("a") + block("b", uses("a")));

  EXPECT_THAT(computed_.cycles, IsEmpty());
  EXPECT_FALSE(is_after("destroy a", "destroy b"));
}

TEST_F(Order, BetweenProvidersOtherEdgesStay) {
  had("a");
  had("b", {"a"});
  change("a", Action::Delete);
  alias_ = "other";
  change("b", Action::Delete);
  put_in_order("");

  EXPECT_TRUE(is_after("destroy a", "destroy b"));
}

TEST_F(Order, ManyInstancesOfTwoResourcesNeedFewEdges) {
  constexpr int kMany = 1000;
  for (int i = 0; i < kMany; ++i) {
    had(fmt::format("module.m[{}].a", i));
    had(fmt::format("module.n[{}].b", i), {"module.m.a"});
    change(fmt::format("module.m[{}].a", i), Action::Delete);
    change(fmt::format("module.n[{}].b", i), Action::Delete);
  }
  put_in_order("");

  EXPECT_LT(graph_->waits.edges.size(), 5U * kMany);
}

}  // namespace
}  // namespace tofu::engine
