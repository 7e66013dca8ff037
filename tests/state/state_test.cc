#include "state/state.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "state/state_file.h"
#include "value/json.h"

namespace tofu::state {
namespace {

addrs::AbsResourceInstance address(std::string_view text) {
  diag::Diagnostics diags;
  return *addrs::parse_text(text, addrs::parse_abs_resource_instance, diags);
}

addrs::AbsProviderInstance provider(std::string alias = {}, addrs::InstanceKey key = {}) {
  return {{{}, addrs::default_provider("x"), std::move(alias)}, std::move(key)};
}

Object object(std::string id) {
  return Object(ObjectFields{.attributes = "{\"id\": \"" + std::move(id) + "\"}"});
}

TEST(Object, KeepsEverythingThatItWasMadeOf) {
  ObjectFields fields{.status = ObjectStatus::Tainted,
                      .schema_version = 5,
                      .attributes = "{ \"a\": \"<\" }",
                      .private_data = std::string("\0bytes", 6),
                      .dependencies = {addrs::config_of(address("module.m.x.y"))},
                      .create_before_destroy = true,
                      .skip_destroy = true,
                      .identity = "{\"id\":1}",
                      .identity_schema_version = 0};
  fields.sensitive_paths.push_back(
      value::Path().with_attribute("a").with_index(value::Value::integer(3)));
  const Object made(fields);

  EXPECT_EQ(
      made.text(),
      R"("schema_version":5,"attributes":{"a":"\u003c"},"sensitive_attributes":[)"
      R"([{"type":"get_attr","value":"a"},{"type":"index","value":{"value":3,"type":"number"}}]],)"
      R"("private":"AGJ5dGVz","dependencies":["module.m.x.y"],"create_before_destroy":true,)"
      R"("skip_destroy":true,"identity":{"id":1},"identity_schema_version":0)");
  EXPECT_EQ(made.schema_version(), 5);
  EXPECT_EQ(Object(made.fields()), made);
  EXPECT_EQ(made.fields().private_data, fields.private_data);
  EXPECT_NE(made.with_status(ObjectStatus::Ready), made);
  EXPECT_TRUE(made.with_dependencies({}).dependencies().empty());
  EXPECT_EQ(made.with_dependencies(fields.dependencies), made);
}

TEST(Object, IsTheSameWhetherItsJsonIsKnownToBeCompactOrNot) {
  const auto json = value::to_json(value::Value::object(
      {{"a<b>&", value::Value::string("<\xE2\x80\xA8>\t\"" + std::string(100, 'x') + "\xFF")},
       {"n", value::Value::integer(-7)},
       {"o", value::Value::null()}}));
  ASSERT_TRUE(json.ok());
  const ObjectFields fields{.attributes = *json, .identity = *json};
  EXPECT_EQ(Object(fields).text(), Object(fields, JsonForm::Compact).text());
  EXPECT_EQ(Object(fields).fields().attributes, *json);
}

TEST(Object, FlatAttributesTakeThePlaceOfTheOthers) {
  const Object made(
      ObjectFields{.attributes_flat = std::map<std::string, std::string>{{"b", "2"}, {"a", "1"}}});
  EXPECT_EQ(made.text(),
            R"("schema_version":0,"attributes_flat":{"a":"1","b":"2"},"sensitive_attributes":[])");
  EXPECT_EQ(made.attributes(), "");
  EXPECT_EQ(Object(made.fields()), made);
}

// For the thread sanitizer: only the counts of the shared parts tell when a reader is done.
TEST(State, ASnapshotCanBeReadAndDroppedByAThreadWhileTheStateIsChanged) {
  State state;
  const addrs::AbsResourceInstance a = address("x.a");
  state.set_object(a, "", object("0"), provider());
  std::vector<std::thread> readers;
  for (int i = 1; i <= 50; ++i) {
    readers.emplace_back([&a, i, snapshot = std::optional(state)]() mutable {
      EXPECT_EQ(*snapshot->object(a), object(std::to_string(i - 1)));
      snapshot.reset();
    });
    state.set_object(a, "", object(std::to_string(i)), provider());
  }
  for (std::thread& reader : readers) reader.join();
}

TEST(State, ASnapshotDoesNotSeeLaterChanges) {
  State state;
  state.set_object(address("x.a[0]"), "", object("1"), provider());
  state.set_object(address("x.b"), "", object("2"), provider());
  const State snapshot = state;

  state.set_object(address("x.a[0]"), "", object("changed"), provider());
  state.set_object(address("x.a[1]"), "", object("new"), provider());
  state.remove_object(address("x.b"), "");

  EXPECT_EQ(snapshot.object(address("x.a[0]"))->attributes(), "{\"id\":\"1\"}");
  EXPECT_EQ(snapshot.object(address("x.a[1]")), nullptr);
  EXPECT_NE(snapshot.object(address("x.b")), nullptr);
  EXPECT_EQ(state.object(address("x.a[0]"))->attributes(), "{\"id\":\"changed\"}");
  EXPECT_EQ(state.resource_count(), 1);
}

TEST(State, ResourcesThatDoNotChangeAreShared) {
  State state;
  state.set_object(address("x.a"), "", object("1"), provider());
  state.set_object(address("x.b"), "", object("2"), provider());
  const State snapshot = state;
  state.set_object(address("x.b"), "", object("3"), provider());
  EXPECT_EQ(state.resource(addrs::resource_of(address("x.a"))),
            snapshot.resource(addrs::resource_of(address("x.a"))));
  EXPECT_NE(state.resource(addrs::resource_of(address("x.b"))),
            snapshot.resource(addrs::resource_of(address("x.b"))));
}

TEST(State, AResourceGoesWithItsLastObject) {
  State state;
  state.set_object(address("x.a[0]"), "", object("1"), provider());
  state.set_object(address("x.a[0]"), "00000001", object("2"), provider());
  state.remove_object(address("x.a[0]"), "");
  EXPECT_NE(state.instance(address("x.a[0]")), nullptr);
  state.set_object(address("x.a[0]"), "00000001", Object(), provider());
  EXPECT_EQ(state.resource_count(), 0);
}

TEST(State, TheLatestProviderCounts) {
  State state;
  state.set_object(address("x.a[0]"), "", object("1"), provider());
  state.set_object(address("x.a[1]"), "", object("2"), provider("w", addrs::InstanceKey("eu")));
  const Resource& resource = *state.resource(addrs::resource_of(address("x.a[0]")));
  EXPECT_EQ(resource.provider().alias, "w");
  EXPECT_TRUE(resource.has_provider_keys());
  EXPECT_EQ(resource.provider_of(*resource.find(addrs::InstanceKey(1))).key,
            addrs::InstanceKey("eu"));
}

TEST(State, InstancesLoseTheirProviderKeysWithTheAlias) {
  State state;
  state.set_object(address("x.a[0]"), "", object("1"), provider("w", addrs::InstanceKey("eu")));
  state.set_object(address("x.a[1]"), "", object("2"), provider("w", addrs::InstanceKey("us")));
  state.set_object(address("x.a[0]"), "", object("3"), provider());
  EXPECT_FALSE(state.resource(addrs::resource_of(address("x.a[0]")))->has_provider_keys());
}

TEST(State, ContentIsTheSameWhateverTheOrderAndTheSerial) {
  State a;
  a.set_object(address("x.a[1]"), "", object("2"), provider());
  a.set_object(address("x.a[0]"), "", object("1"), provider());
  a.checks = {{.address = "x.a"}, {.address = "x.b"}};
  State b;
  b.serial = 9;
  b.set_object(address("x.a[0]"), "", object("1"), provider());
  b.set_object(address("x.a[1]"), "", object("2"), provider());
  b.checks = {{.address = "x.b"}, {.address = "x.a"}};
  EXPECT_TRUE(same_content(a, b));

  State c = b;
  c.set_object(address("x.a[1]"), "", object("3"), provider());
  EXPECT_FALSE(same_content(a, c));
  c = b;
  c.outputs["o"] = {value::Value::integer(1)};
  EXPECT_FALSE(same_content(a, c));
  c = b;
  c.checks[0].status = CheckStatus::Pass;
  EXPECT_FALSE(same_content(a, c));
  c = b;
  c.set_object(address("x.a[1]"), "", object("2"), provider("other"));
  EXPECT_FALSE(same_content(a, c));
}

TEST(State, PeopleSeeTheRootFirstAndNumbersBySize) {
  State state;
  for (const char* text : {"module.a[10].x.a", "module.a[9].x.a", "x.a", "data.x.a"}) {
    state.set_object(address(text), "", object("1"), provider());
  }
  std::string order;
  for (const Resource* resource : state.resources_by_address()) {
    order += resource->address().to_string() + " ";
  }
  EXPECT_EQ(order, "data.x.a x.a module.a[9].x.a module.a[10].x.a ");
}

// The obvious way: a map by the text of the address.
TEST(State, AgreesWithAPlainMapOverManyRandomChanges) {
  std::mt19937 random(20);
  State state;
  std::map<std::string, std::string> model;
  for (int step = 0; step < 20'000; ++step) {
    const std::string name =
        "x.r" + std::to_string(random() % 30) + "[" + std::to_string(random() % 40) + "]";
    if (random() % 3 != 0) {
      const std::string id = std::to_string(random());
      state.set_object(address(name), "", object(id), provider());
      model[name] = "{\"id\":\"" + id + "\"}";
    } else {
      state.remove_object(address(name), "");
      model.erase(name);
    }
    if (step % 500 != 0) continue;
    const State snapshot = state;
    std::size_t seen = 0;
    for (const Resource* resource : snapshot.resources()) {
      const Instance* before = nullptr;
      resource->for_each([&](const Instance& instance) {
        EXPECT_TRUE(before == nullptr || before->key() < instance.key());
        before = &instance;
        const auto found =
            model.find(addrs::instance_of(resource->address(), instance.key()).to_string());
        ASSERT_NE(found, model.end());
        EXPECT_EQ(instance.current()->attributes(), found->second);
        EXPECT_EQ(resource->find(instance.key()), &instance);
        ++seen;
      });
    }
    EXPECT_EQ(seen, model.size());
  }
}

}  // namespace
}  // namespace tofu::state
