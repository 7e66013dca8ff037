#include "state/upgrade.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "state/state_file.h"

namespace tofu::state {
namespace {

std::string upgraded(std::string_view text) {
  diag::Diagnostics diags;
  const auto state = read_state(text, diags);
  if (!state) return "error: " + diags.items().front().detail;
  return state_text(*state, Layout::Compact);
}

TEST(Upgrade, Version3BecomesWhatOpenTofuMakesOfIt) {
  EXPECT_EQ(
      upgraded(R"({"version":3,"terraform_version":"0.11.14","serial":2,"lineage":"l","modules":[
        {"path":["root"],"outputs":{"o":{"sensitive":false,"type":"string","value":"x"},
          "l":{"sensitive":true,"type":"list","value":["a","b"]},
          "m":{"type":"map","value":{"a":1,"b":"c"}}},
         "resources":{
          "aws_x.a":{"type":"aws_x","primary":{"id":"i","attributes":{"id":"i","n":"1"},
             "meta":{"schema_version":"3","k":{"b":[1]}},"tainted":true},
             "deposed":[{"id":"d"}],"provider":"provider.aws.west"},
          "aws_x.c.1":{"primary":{"id":"c1"}},
          "aws_x.c.0":{"primary":{"id":"c0","attributes":{"id":""}},"provider":"aws.east"},
          "data.aws_d.d":{"primary":{"attributes":{}},"deposed":null}}},
        {"path":["root","m"],"resources":{"aws_x.in":{"primary":{"id":"m"}}}}]})"),
      R"({"version":4,"terraform_version":"0.11.14","serial":2,"lineage":"l","outputs":{)"
      R"("l":{"value":["a","b"],"type":["list","string"],"sensitive":true},)"
      R"("m":{"value":{"a":1,"b":"c"},"type":["object",{"a":"number","b":"string"}]},)"
      R"("o":{"value":"x","type":"string"}},"resources":[)"
      R"({"mode":"data","type":"aws_d","name":"d","provider":"provider[\"registry.opentofu.org/-/aws\"]",)"
      R"("instances":[{"schema_version":0,"sensitive_attributes":[]}]},)"
      R"({"mode":"managed","type":"aws_x","name":"a","provider":"provider[\"registry.opentofu.org/-/aws\"].west",)"
      R"("instances":[{"status":"tainted","schema_version":3,"attributes_flat":{"id":"i","n":"1"},)"
      R"("sensitive_attributes":[],"private":"eyJrIjp7ImIiOlsxXX19"},)"
      R"({"deposed":"00000001","schema_version":0,"attributes_flat":{"id":"d"},"sensitive_attributes":[]}]},)"
      R"({"mode":"managed","type":"aws_x","name":"c","provider":"provider[\"registry.opentofu.org/-/aws\"].east",)"
      R"("instances":[{"index_key":0,"schema_version":0,"attributes_flat":{"id":"c0"},"sensitive_attributes":[]},)"
      R"({"index_key":1,"schema_version":0,"attributes_flat":{"id":"c1"},"sensitive_attributes":[]}]},)"
      R"({"module":"module.m","mode":"managed","type":"aws_x","name":"in",)"
      R"("provider":"module.m.provider[\"registry.opentofu.org/-/aws\"]",)"
      R"("instances":[{"schema_version":0,"attributes_flat":{"id":"m"},"sensitive_attributes":[]}]}],)"
      R"("check_results":null})"
      "\n");
}

TEST(Upgrade, Version2CountsMapsApartFromLists) {
  const std::string text = upgraded(R"({"version":2,"modules":[{"path":["root"],"resources":{
      "x_y.z":{"primary":{"attributes":{"tags.#":"1","tags.Name":"n","ports.#":"2","ports.0":"80",
      "ports.1":"81","none.#":"0","deep.#":"1","deep.0.a":"b"}}}}}]})");
  EXPECT_NE(text.find(R"({"deep.#":"1","deep.0.a":"b","ports.#":"2","ports.0":"80","ports.1":"81",)"
                      R"("tags.%":"1","tags.Name":"n"})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("terraform_version":"0.0.0")"), std::string::npos);
}

TEST(Upgrade, Version1HasTextOutputsAndMayLackThePathOfTheRoot) {
  const std::string text = upgraded(R"({"version":1,"serial":9,"modules":[{"outputs":{"o":"x"},
      "resources":{"x_y.z":{"primary":{"id":"i","meta":{"schema_version":"1"}}}}}]})");
  EXPECT_NE(text.find(R"("serial":9,)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("outputs":{"o":{"value":"x","type":"string"}})"), std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("schema_version":1,"attributes_flat":{"id":"i"})"), std::string::npos);
}

TEST(Upgrade, WhatCannotBeUpgradedIsRefused) {
  for (
      const std::string_view text : {
          R"({"version":3,"serial":-1})",
          R"({"version":3,"modules":{}})",
          R"({"version":3,"modules":[{"path":["m"]}]})",
          R"({"version":3,"modules":[{"path":["root","not a name"]}]})",
          R"({"version":3,"modules":[{"path":["root"],"resources":{"alone":{}}}]})",
          R"({"version":3,"modules":[{"path":["root"],"resources":{"a.b.c":{}}}]})",
          R"({"version":3,"modules":[{"path":["root"],"resources":{"a.b.0.1":{}}}]})",
          R"({"version":3,"modules":[{"path":["root"],"resources":{"a.b":{"provider":"provider.${x}"}}}]})",
          R"({"version":3,"modules":[{"path":["root"],"resources":{"a.b":{"primary":{"attributes":{"a":1}}}}}]})",
          R"({"version":1,"modules":[{"outputs":{"a":1}}]})",
      }) {
    EXPECT_EQ(upgraded(text).substr(0, 6), "error:") << text;
  }
}

}  // namespace
}  // namespace tofu::state
