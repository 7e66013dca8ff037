#include "plans/plan.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tofu::plans {
namespace {

const addrs::Provider kProvider = addrs::builtin_provider("terraform");

addrs::Resource managed(std::string name) {
  return {addrs::ResourceMode::Managed, "terraform_data", std::move(name)};
}

ResourceChange change_of(ResourceId resource, addrs::InstanceKey key = {},
                         Action action = Action::Create, std::string deposed = "") {
  ResourceChange change;
  change.resource = resource;
  change.key = std::move(key);
  change.action = action;
  if (!deposed.empty()) {
    ChangeDetails details;
    details.deposed = std::move(deposed);
    change.details = std::make_unique<ChangeDetails>(std::move(details));
  }
  return change;
}

TEST(Addresses, AnAddressHasOneRow) {
  Addresses table;
  const ModuleId module = table.module(addrs::ModuleInstance{}.child("net"));
  EXPECT_EQ(table.module(addrs::ModuleInstance{}.child("net")), module);
  EXPECT_EQ(table.module({}), ModuleId{0});
  const ResourceId a = table.resource(module, managed("a"), kProvider);
  EXPECT_EQ(table.resource(module, managed("a"), kProvider), a);
  EXPECT_NE(table.resource({}, managed("a"), kProvider), a);
  EXPECT_EQ(table.instance(a, addrs::InstanceKey(std::int64_t{3})).to_string(),
            "module.net.terraform_data.a[3]");
}

TEST(DisplayOrder, PutsTheRootFirstThenNamesThenKeysAsNumbers) {
  Plan plan;
  const ModuleId net = plan.addresses.module(addrs::ModuleInstance{}.child("net"));
  const ResourceId in_net = plan.addresses.resource(net, managed("a"), kProvider);
  const ResourceId z = plan.addresses.resource({}, managed("z"), kProvider);
  const ResourceId b = plan.addresses.resource({}, managed("b"), kProvider);
  plan.changes.push_back(change_of(in_net));
  plan.changes.push_back(change_of(z));
  plan.changes.push_back(change_of(b, addrs::InstanceKey(std::int64_t{10})));
  plan.changes.push_back(change_of(b, addrs::InstanceKey(std::int64_t{2})));

  std::vector<std::string> shown;
  for (const auto i : display_order(plan.addresses, plan.changes)) {
    const ResourceChange& change = plan.changes[i];
    shown.push_back(plan.addresses.instance(change.resource, change.key).to_string());
  }

  EXPECT_EQ(shown, (std::vector<std::string>{"terraform_data.b[2]", "terraform_data.b[10]",
                                             "terraform_data.z", "module.net.terraform_data.a"}));
}

// Long names that begin alike, the end of a name, letters outside of ASCII, types and modes.
TEST(DisplayOrder, IsThatOfTheAddressesWhateverTheirNames) {
  Plan plan;
  const std::vector<std::string> names = {
      "server_number_10", "server_number_9", "server_n", "server_", "s", "\xc3\xa4", "zz",
      "server_number"};
  std::vector<addrs::AbsResourceInstance> sorted;
  for (const auto* module : {"b", "a"}) {
    for (const auto mode : {addrs::ResourceMode::Managed, addrs::ResourceMode::Data}) {
      for (const auto* type : {"terraform_datum", "terraform_data"}) {
        for (const std::string& name : names) {
          const ResourceId id =
              plan.addresses.resource(plan.addresses.module(addrs::ModuleInstance{}.child(module)),
                                      addrs::Resource{mode, type, name}, kProvider);
          plan.changes.push_back(change_of(id));
          sorted.push_back(plan.addresses.instance(id, {}));
        }
      }
    }
  }
  std::ranges::sort(sorted);
  std::vector<addrs::AbsResourceInstance> shown;
  for (const auto i : display_order(plan.addresses, plan.changes)) {
    shown.push_back(plan.addresses.instance(plan.changes[i].resource, plan.changes[i].key));
  }
  EXPECT_EQ(shown, sorted);
}

TEST(DisplayOrder, PutsDeposedObjectsBehindTheCurrentOne) {
  Plan plan;
  const ResourceId a = plan.addresses.resource({}, managed("a"), kProvider);
  plan.changes.push_back(change_of(a, {}, Action::Delete, "22"));
  plan.changes.push_back(change_of(a, {}, Action::Delete, "11"));
  plan.changes.push_back(change_of(a));
  EXPECT_EQ(display_order(plan.addresses, plan.changes), (std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(CountChanges, CountsAReplacementOnBothSides) {
  ChangeCounts counts;
  counts.count(Action::CreateThenDelete);
  counts.count(Action::ForgetThenCreate);
  counts.count(Action::Read);
  EXPECT_EQ(counts, (ChangeCounts{.add = 2, .destroy = 1, .forget = 1}));
}

TEST(CountChanges, LeavesOutDataSourcesThatLeaveTheState) {
  Plan plan;
  const ResourceId data = plan.addresses.resource(
      {}, {addrs::ResourceMode::Data, "terraform_remote_state", "a"}, kProvider);
  plan.changes.push_back(change_of(data, {}, Action::Delete));
  EXPECT_EQ(count_changes(plan), ChangeCounts{});
}

TEST(ResourceChange, IsSmallEnoughForAMillionOfThem) { EXPECT_LE(sizeof(ResourceChange), 96U); }

}  // namespace
}  // namespace tofu::plans
