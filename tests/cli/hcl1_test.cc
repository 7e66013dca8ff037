#include "cli/hcl1.h"

#include <gtest/gtest.h>

namespace tofu::cli {
namespace {

std::string shown(const std::vector<Hcl1Item>& items);

std::string shown(const Hcl1Value& value) {
  switch (value.kind) {
    case Hcl1Kind::String: return "'" + value.text + "'";
    case Hcl1Kind::Number:
    case Hcl1Kind::Bool: return value.text;
    case Hcl1Kind::List: {
      std::string out = "[";
      for (const Hcl1Value& each : value.list) out += shown(each) + ",";
      return out + "]";
    }
    case Hcl1Kind::Object: return "{" + shown(value.items) + "}";
  }
  return "";
}

std::string shown(const std::vector<Hcl1Item>& items) {
  std::string out;
  for (const Hcl1Item& item : items) {
    for (const std::string& key : item.keys) out += key + " ";
    out += (item.assigned ? "= " : "") + shown(item.value) + ";";
  }
  return out;
}

// The items in a short form, or "error".
std::string parsed(std::string text) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const auto items = parse_hcl1(sources, sources.add("rc", std::move(text)), diags);
  EXPECT_EQ(items.has_value(), !diags.has_errors());
  return items ? shown(*items) : "error";
}

TEST(Hcl1, WhatPeopleWriteIsRead) {
  const struct {
    const char* text;
    const char* items;
  } cases[] = {
      {"", ""},
      {"a = \"x\"", "a = 'x';"},
      {"# one\n// two\n/* three */ a = 1", "a = 1;"},
      {"a = true, b = [1, \"x\",]", "a = true;b = [1,'x',];"},
      {"host \"h\" { services = { \"m.v1\" = \"u\" } }", "host h {services = {m.v1 = 'u';};};"},
      {"a { \"b/c\" = \"d\"\n e {} }", "a {b/c = 'd';e {};};"},
      {"a = \"${HOME}/\\u0041\\n\\\"\"", "a = '${HOME}/A\n\"';"},
      {"a = <<EOT\nx\n  EOT\n", "a = 'x\n';"},
      {R"({"a": {"b": [1.5, false]}, "c": "d"})", "a = {b = [1.5,false,];};c = 'd';"},
  };
  for (const auto& each : cases) EXPECT_EQ(parsed(each.text), each.items) << each.text;
}

TEST(Hcl1, WhatCannotBeReadIsAnError) {
  for (const char* text :
       {"a", "a =", "a = x", "= 1", "a = \"x", "a = \"\\q\"", "a = \"\\u12", "a {", "a = [1 2]",
        "a = [1", "{\"a\": 1} b", "a = <<E\nx", "a = \"x\ny\""}) {
    EXPECT_EQ(parsed(text), "error") << text;
  }
  EXPECT_EQ(parsed("a = " + std::string(5000, '[')), "error");
  EXPECT_EQ(parsed(std::string(5000, 'a') + std::string(5000, '{')), "error");
}

TEST(Hcl1, MistakesAreToldWithoutShowingTheLine) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  parse_hcl1(sources, sources.add("rc", "ok = 1\ntoken = \"secret"), diags);
  ASSERT_EQ(diags.size(), 1U);
  EXPECT_FALSE(diags.items()[0].subject.has_value());
  EXPECT_TRUE(diags.items()[0].detail.starts_with("rc, line 2: ")) << diags.items()[0].detail;
}

}  // namespace
}  // namespace tofu::cli
