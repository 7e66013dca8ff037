#include "state/state_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "state/state_pieces.h"

namespace tofu::state {
namespace {

State must_read(std::string_view text) {
  diag::Diagnostics diags;
  auto state = read_state(text, diags);
  for (const auto& item : diags.items()) ADD_FAILURE() << item.summary << ": " << item.detail;
  return state ? std::move(*state) : State();
}

std::string error_of(std::string_view text) {
  diag::Diagnostics diags;
  const auto state = read_state(text, diags);
  EXPECT_EQ(state.has_value(), !diags.has_errors());
  return diags.empty() ? "" : diags.items().front().summary + ": " + diags.items().front().detail;
}

addrs::AbsResourceInstance address(std::string_view text) {
  diag::Diagnostics diags;
  return *addrs::parse_text(text, addrs::parse_abs_resource_instance, diags);
}

// A file with one resource whose instances are `instances`.
std::string with_instances(std::string_view instances,
                           std::string_view provider = R"("provider":"provider[\"a/b/c\"]",)") {
  return fmt::format(
      R"({{"version":4,"resources":[{{"mode":"managed","type":"x","name":"y",{}"instances":[{}]}}]}})",
      provider, instances);
}

// As OpenTofu 1.12.6 wrote it.
constexpr std::string_view kWritten = R"({
  "version": 4,
  "terraform_version": "1.12.6",
  "serial": 7,
  "lineage": "7d5d5a4e-3a5b-4e56-8a8c-0f3f2c0f5a11",
  "outputs": {
    "list": {
      "value": [
        "a\u003cb",
        "c"
      ],
      "type": [
        "list",
        "string"
      ],
      "sensitive": true
    },
    "n": {
      "value": 1.5,
      "type": "number",
      "deprecated": "use list"
    }
  },
  "resources": [
    {
      "mode": "data",
      "type": "terraform_remote_state",
      "name": "r",
      "provider": "provider[\"terraform.io/builtin/terraform\"]",
      "instances": [
        {
          "schema_version": 0,
          "attributes": {},
          "sensitive_attributes": []
        }
      ]
    },
    {
      "mode": "managed",
      "type": "terraform_data",
      "name": "a",
      "provider": "provider[\"terraform.io/builtin/terraform\"]",
      "instances": [
        {
          "index_key": 0,
          "schema_version": 0,
          "attributes": {
            "id": "one",
            "input": {
              "value": "\u003chtml\u003e",
              "type": "string"
            }
          },
          "sensitive_attributes": [
            [
              {
                "type": "get_attr",
                "value": "input"
              },
              {
                "type": "index",
                "value": {
                  "value": "k",
                  "type": "string"
                }
              }
            ]
          ],
          "private": "eyJhIjoxfQ==",
          "dependencies": [
            "data.terraform_remote_state.r",
            "module.m.terraform_data.b"
          ],
          "create_before_destroy": true,
          "skip_destroy": true,
          "identity": {
            "id": "one"
          },
          "identity_schema_version": 1
        },
        {
          "index_key": 0,
          "status": "tainted",
          "deposed": "0123abcd",
          "schema_version": 0,
          "attributes": {
            "id": "old"
          },
          "sensitive_attributes": []
        },
        {
          "index_key": 2,
          "schema_version": 0,
          "attributes_flat": {
            "id": "three",
            "tags.%": "0"
          },
          "sensitive_attributes": []
        },
        {
          "index_key": "10",
          "schema_version": 0,
          "attributes": null,
          "sensitive_attributes": []
        }
      ]
    },
    {
      "module": "module.m[\"k\"]",
      "mode": "managed",
      "type": "x_y",
      "name": "z",
      "instances": [
        {
          "index_key": "eu",
          "provider": "module.m.provider[\"registry.opentofu.org/hashicorp/x\"].by_region[\"eu\"]",
          "schema_version": 3,
          "attributes": {},
          "sensitive_attributes": []
        }
      ]
    }
  ],
  "check_results": [
    {
      "object_kind": "check",
      "config_addr": "module.m.check.c",
      "status": "fail",
      "objects": [
        {
          "object_addr": "module.m[\"k\"].check.c",
          "status": "fail",
          "failure_messages": [
            "no"
          ]
        }
      ]
    },
    {
      "object_kind": "var",
      "config_addr": "var.v",
      "status": "unknown",
      "objects": null
    }
  ]
}

)";

TEST(StateFile, IsWrittenAsTheBytesItWasReadFrom) {
  EXPECT_EQ(state_text(must_read(kWritten), Layout::Indented), kWritten);
}

TEST(StateFile, CompactAndIndentedSayTheSame) {
  const std::string compact = state_text(must_read(kWritten), Layout::Compact);
  EXPECT_EQ(compact.find('\n'), compact.size() - 1);
  EXPECT_EQ(state_text(must_read(compact), Layout::Indented), kWritten);
}

TEST(StateFile, ItsPiecesAreItsCompactTextWithoutACopyOfLargeObjects) {
  const std::string large(1000, 'x');
  const State state = must_read(with_instances(fmt::format(
      R"({{"index_key":0,"schema_version":0,"attributes":{{"a":"{}"}}}},)"
      R"({{"index_key":1,"schema_version":0,"attributes":{{"a":"b"}}}},)"
      R"({{"index_key":2,"schema_version":0,"attributes":{{"c":"{}"}},"deposed":"00000001"}})",
      large, large)));
  const base::TextPieces pieces = state_pieces(state);
  EXPECT_EQ(pieces.joined(), state_text(state, Layout::Compact));
  const std::string_view text = state.object(address("x.y[0]"))->text();
  bool is_lent = false;
  pieces.for_each(
      [&](std::string_view piece) { is_lent = is_lent || piece.data() == text.data(); });
  EXPECT_TRUE(is_lent);
  EXPECT_EQ(state_pieces(must_read(kWritten)).joined(),
            state_text(must_read(kWritten), Layout::Compact));
}

TEST(StateFile, HoldsWhatItSays) {
  const State state = must_read(kWritten);

  EXPECT_EQ(state.serial, 7);
  EXPECT_EQ(state.lineage, "7d5d5a4e-3a5b-4e56-8a8c-0f3f2c0f5a11");
  EXPECT_TRUE(state.outputs.at("list").sensitive);
  EXPECT_EQ(state.outputs.at("n").deprecated, "use list");
  const Object* object = state.object(address("terraform_data.a[0]"));
  ASSERT_NE(object, nullptr);
  const ObjectFields fields = object->fields();
  EXPECT_EQ(fields.attributes,
            R"({"id":"one","input":{"value":"\u003chtml\u003e","type":"string"}})");
  EXPECT_EQ(fields.private_data, R"({"a":1})");
  EXPECT_EQ(fields.dependencies.at(1).to_string(), "module.m.terraform_data.b");
  EXPECT_EQ(value::to_string(fields.sensitive_paths.at(0)), R"(.input["k"])");
  EXPECT_TRUE(fields.create_before_destroy);
  EXPECT_TRUE(fields.skip_destroy);
  EXPECT_EQ(fields.identity, R"({"id":"one"})");
  EXPECT_EQ(fields.identity_schema_version, 1);
  const Object* deposed = state.object(address("terraform_data.a[0]"), "0123abcd");
  ASSERT_NE(deposed, nullptr);
  EXPECT_EQ(deposed->status(), ObjectStatus::Tainted);
  const ObjectFields flat = state.object(address("terraform_data.a[2]"))->fields();
  EXPECT_EQ(flat.attributes_flat->at("tags.%"), "0");
  const auto keyed = address("module.m[\"k\"].x_y.z[\"eu\"]");
  EXPECT_EQ(state.instance(keyed)->provider_key(), addrs::InstanceKey("eu"));
}

TEST(StateFile, MembersInAnotherOrderOrCaseMeanTheSame) {
  const State state = must_read(R"({"resources":[{"instances":[{"Attributes":{ "b" : 1 },
      "dependencies":["module.m[0].x.z"], "surplus":[{}], "schema_version":2}],
      "each":"list", "PROVIDER":"provider[\"a/b/c\"]","name":"y","type":"x","mode":"managed"}],
      "VERSION":4})");
  const Object* object = state.object(address("x.y"));
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->text(), R"("schema_version":2,"attributes":{"b":1},"sensitive_attributes":[],)"
                            R"("dependencies":["module.m.x.z"],"surplus":[{}])");
  // States of Terraform 0.12 say "each", which means nothing any more.
  EXPECT_EQ(state.resource(addrs::resource_of(address("x.y")))->unknown(), "");
}

// A file of a later version, with members that this one does not know.
constexpr std::string_view kOfLaterVersion =
    R"({"version":4,"terraform_version":"1.99.0","serial":3,"lineage":"l","outputs":{"o":{)"
    R"("value":1,"type":"number","owner":{"team":[1,2.50,"a\u003cb"]}}},"resources":[{)"
    R"("mode":"managed","type":"x","name":"y","provider":"provider[\"a/b/c\"]","instances":[{)"
    R"("schema_version":0,"attributes":{"id":"1"},"sensitive_attributes":[],)"
    R"("\"odd\" \\name":"}","empty":{},"zone":null}],"labels":["a",[],{}]}],)"
    R"("check_results":null})"
    "\n";

TEST(StateFile, MembersOfLaterVersionsSurvive) {
  const State state = must_read(kOfLaterVersion);
  EXPECT_EQ(state_text(state, Layout::Compact), kOfLaterVersion);
  EXPECT_EQ(state_text(must_read(state_text(state, Layout::Indented)), Layout::Compact),
            kOfLaterVersion);
  EXPECT_EQ(state_pieces(state).joined(), kOfLaterVersion);

  const Object& object = *state.object(address("x.y"));
  EXPECT_EQ(object.attributes(), R"({"id":"1"})");
  EXPECT_EQ(Object(object.fields()), object);
  EXPECT_EQ(object.with_dependencies({}), object);
  EXPECT_EQ(object.unknown(), R"("\"odd\" \\name":"}","empty":{},"zone":null)");
  State changed = state;
  changed.unknown_of_outputs.clear();
  EXPECT_FALSE(same_content(state, changed));
}

TEST(StateFile, OfUnknownMembersOfOneNameTheLastCounts) {
  const State state = must_read(
      R"({"version":4,"outputs":{"o":{"value":1,"type":"number","b":1,"a":{"b":2},"b":[3],"B":4}}})");
  EXPECT_EQ(state.unknown_of_outputs.at("o"), R"("B":4,"a":{"b":2},"b":[3])");
}

TEST(StateFile, UnknownMembersOfTheWholeFileAreDropped) {
  const State state = must_read(R"({"version":4,"\u0073erial":7,"Meta":1,"audit":{"by":"x"}})");
  EXPECT_EQ(state.serial, 7u);
  EXPECT_EQ(state_text(state, Layout::Compact).find("audit"), std::string::npos);
}

TEST(StateFile, AnOutputThatIsGoneTakesItsUnknownMembersAlong) {
  State state = must_read(kOfLaterVersion);
  state.outputs.clear();
  EXPECT_EQ(state_text(state, Layout::Compact).find("team"), std::string::npos);
  EXPECT_TRUE(same_content(state, must_read(state_text(state, Layout::Compact))));
}

TEST(StateFile, AnObjectWithoutAttributesHasNone) {
  EXPECT_EQ(must_read(with_instances("{}")).object(address("x.y"))->attributes(), "{}");
  EXPECT_EQ(must_read(with_instances("null")).object(address("x.y"))->attributes(), "{}");
  const State flat = must_read(with_instances(R"({"attributes_flat":{}})"));
  EXPECT_EQ(flat.object(address("x.y"))->attributes(), "");
}

TEST(StateFile, PrivateDataMayBeWrittenWithEscapes) {
  // Long enough to lie outside of a string object, and escaped so that it is copied.
  const std::string plain = "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo=";
  const State state =
      must_read(with_instances(R"({"private":"\u0059WJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo="})"));
  EXPECT_NE(state.object(address("x.y"))->text().find(plain), std::string_view::npos);
  EXPECT_EQ(state.object(address("x.y"))->fields().private_data, "abcdefghijklmnopqrstuvwxyz");
}

TEST(StateFile, AFractionInAKeyIsCutOff) {
  const State state = must_read(with_instances(R"({"index_key":1.9},{"index_key":2e1})"));
  EXPECT_NE(state.object(address("x.y[1]")), nullptr);
  EXPECT_NE(state.object(address("x.y[20]")), nullptr);
}

TEST(StateFile, AResourceWithoutInstancesStays) {
  const State state = must_read(with_instances(""));
  ASSERT_EQ(state.resource_count(), 1);
  EXPECT_NE(state_text(state, Layout::Compact).find("\"instances\":[]"), std::string::npos);
}

TEST(StateFile, OldProviderAddressesAreTaken) {
  const State state =
      must_read(with_instances("{}", R"("provider":"module.m.provider.aws.west",)"));
  EXPECT_EQ(state.resources().front()->provider().to_string(),
            R"(module.m.provider["registry.opentofu.org/-/aws"].west)");
}

TEST(StateFile, ResourcesAndInstancesAreWrittenInOrder) {
  const State state = must_read(
      R"({"version":4,"resources":[
        {"module":"module.b","mode":"managed","type":"x","name":"y","provider":"provider[\"a/b/c\"]"},
        {"mode":"managed","type":"x","name":"y","provider":"provider[\"a/b/c\"]","instances":[
          {"index_key":"10"},{"index_key":"9"},{"index_key":10},{"index_key":9},{}]},
        {"mode":"data","type":"x","name":"y","provider":"provider[\"a/b/c\"]"},
        {"module":"module.a[10]","mode":"managed","type":"x","name":"y","provider":"provider[\"a/b/c\"]"},
        {"module":"module.a[9]","mode":"managed","type":"x","name":"y","provider":"provider[\"a/b/c\"]"}]})");
  std::string order;
  for (const Resource* resource : state.resources()) {
    order += resource->address().to_string() + " ";
    resource->for_each([&](const Instance& instance) { order += instance.key().to_string(); });
  }
  EXPECT_EQ(order,
            "data.x.y x.y [9][10][\"10\"][\"9\"]module.a[10].x.y module.a[9].x.y module.b.x.y ");
}

TEST(StateFile, WhatOpenTofuRefusesIsRefused) {
  const std::string_view kBroken[] = {
      "",
      " \n",
      "{}",
      "null",
      "[]",
      "\"x\"",
      "hello",
      "{\"version\":4",
      "tfstate-binary",
      R"({"version":"4"})",
      R"({"version":4.5})",
      R"({"version":-1})",
      R"({"version":0})",
      R"({"version":5})",
      R"({"version":4e0})",
      R"({"version":4,"serial":-1})",
      R"({"version":4,"serial":"1"})",
      R"({"version":4,"lineage":1})",
      R"({"version":4,"terraform_version":"new"})",
      R"({"version":4,"terraform_version":"1..2"})",
      R"({"version":4,"resources":{}})",
      R"({"version":4,"resources":[1]})",
      R"({"version":4,"resources":[{}]})",
      R"({"version":4,"resources":[{"mode":"ephemeral"}]})",
      R"({"version":4,"outputs":{"o":{"value":1}}})",
      R"({"version":4,"outputs":{"o":{"type":"number"}}})",
      R"({"version":4,"outputs":{"o":{"value":"x","type":"number"}}})",
      R"({"version":4,"check_results":[{"object_kind":"check","config_addr":"chick.a"}]})",
      R"({"version":4,"check_results":[{"object_kind":"output","config_addr":"module.a[0].output.b"}]})",
      R"({"version":4,"resources":[{"mode":"managed","type":"x","name":"y","module":"m.a","provider":"provider[\"a/b/c\"]"}]})",
      R"({"encryption_version":"v0","encrypted_data":"","meta":{}})"};
  for (const std::string_view text : kBroken) EXPECT_NE(error_of(text), "") << text;
}

// They could not be written again.
TEST(StateFile, InfiniteNumbersAreRefused) {
  const std::string_view kBroken[] = {
      R"({"version":4,"outputs":{"o":{"value":1e646456993,"type":"number"}}})",
      R"({"version":4,"outputs":{"o":{"value":["-Inf"],"type":["list","number"]}}})",
      R"({"version":4,"outputs":{"o":{"value":{"value":1e646456993,"type":"number"},"type":"dynamic"}}})",
  };
  for (const std::string_view text : kBroken) EXPECT_NE(error_of(text), "") << text;
  EXPECT_NE(
      error_of(with_instances(
          R"({"sensitive_attributes":[[{"type":"index","value":{"value":1e646456993,"type":"number"}}]]})")),
      "");
}

TEST(StateFile, InstancesThatMakeNoSenseAreRefused) {
  const std::string_view kBroken[] = {
      R"({"index_key":true})",
      R"({"index_key":[1]})",
      R"({"status":"odd"})",
      R"({"deposed":"short"})",
      R"({},{})",
      R"({"deposed":"00000001"},{"deposed":"00000001"})",
      R"({"index_key":0},{"index_key":0.5})",
      R"({"dependencies":["nonsense"]})",
      R"({"dependencies":"x.y"})",
      R"({"dependencies":[1]})",
      R"({"sensitive_attributes":[[{"type":"odd","value":"a"}]]})",
      R"({"sensitive_attributes":[[{"type":"get_attr","value":1}]]})",
      R"({"sensitive_attributes":[[{"type":"index","value":"a"}]]})",
      R"({"sensitive_attributes":{}})",
      R"({"sensitive_attributes":[1]})",
      R"({"private":"?"})",
      R"({"private":1})",
      R"({"schema_version":-1})",
      R"({"attributes_flat":{"a":1}})",
      R"({"create_before_destroy":"yes"})",
      R"({"identity_schema_version":"1"})",
      R"({"provider":"nonsense"})",
  };
  for (const std::string_view text : kBroken) EXPECT_NE(error_of(with_instances(text)), "") << text;
}

TEST(StateFile, ProvidersThatMakeNoSenseAreRefused) {
  EXPECT_NE(error_of(with_instances("{}", "")), "");
  EXPECT_NE(error_of(with_instances("{}", R"("provider":"nonsense",)")), "");
  EXPECT_NE(error_of(with_instances("{}", R"("provider":"provider[\"a/b/c\"].d[\"e\"]",)")), "");
  EXPECT_NE(error_of(with_instances(R"({"index_key":0,"provider":"provider[\"a/b/c\"].d[\"e\"]"},
                                       {"index_key":1,"provider":"provider[\"a/b/c\"].f[\"e\"]"})",
                                    "")),
            "");
}

TEST(StateFile, SayingTheProviderTwiceIsWarnedAbout) {
  diag::Diagnostics diags;
  EXPECT_TRUE(read_state(with_instances(R"({"provider":"provider[\"a/b/c\"].d[\"e\"]"})"), diags));
  ASSERT_EQ(diags.size(), 1);
  EXPECT_EQ(diags.items()[0].severity, diag::Severity::Warning);
}

TEST(StateFile, WhatLaterVersionsAddToChecksIsPassedOver) {
  const State state = must_read(R"({"version":4,"check_results":[
      {"object_kind":"later","config_addr":"?"},
      {"object_kind":"output","config_addr":"output.a","status":"later","objects":[]}]})");
  ASSERT_EQ(state.checks.size(), 1);
  EXPECT_EQ(state.checks[0].status, CheckStatus::Unknown);
}

TEST(StateFile, VersionsOfOtherProgramsAreTaken) {
  for (const std::string_view version :
       {"9.9.9", "0.12.0", "v1.2", "1.13.0-beta1", "1.0beta", "1+a.b"}) {
    EXPECT_EQ(error_of(fmt::format(R"({{"version":4,"terraform_version":"{}"}})", version)), "");
  }
}

TEST(StateFile, ASecondVersionIsSeenWhereverItStands) {
  for (const std::string& text : {std::string(R"({"version":4,"resources":[],"version":5})"),
                                  std::string(R"({"serial":1,"version":4,"Version":99})")}) {
    diag::Diagnostics diags;
    EXPECT_FALSE(read_state(text, diags)) << text;
    EXPECT_TRUE(diags.has_errors());
  }
  diag::Diagnostics diags;
  EXPECT_TRUE(read_state(R"({"version":4,"resources":[],"version":4})", diags));
}

}  // namespace
}  // namespace tofu::state
