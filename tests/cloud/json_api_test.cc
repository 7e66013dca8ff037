#include "cloud/json_api.h"

#include <gtest/gtest.h>

namespace tofu::cloud {
namespace {

TEST(JsonApi, AResourceHasAttributesAndNamesOthers) {
  const auto document = read_document(R"({"data":{"id":"ws-1","type":"workspaces",
    "attributes":{"name":"app","locked":true,"count":7,"tags":["a",1,"b"],"none":null,
                  "permissions":{"can-do":true}},
    "relationships":{"run":{"data":{"id":"run-1","type":"runs"}},
                     "others":{"data":[{"id":"x","type":"y"},{"id":"z","type":"y"}]}}}})");
  ASSERT_TRUE(document.ok());
  const Resource& resource = document->data.at(0);
  EXPECT_EQ(resource.id, "ws-1");
  EXPECT_EQ(resource.type, "workspaces");
  EXPECT_EQ(resource.text("name"), "app");
  EXPECT_TRUE(resource.flag("locked"));
  EXPECT_EQ(resource.number("count"), 7);
  EXPECT_EQ(resource.texts("tags"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(resource.attribute("none"), nullptr);
  EXPECT_TRUE(resource.flag("permissions", "can-do"));
  EXPECT_EQ(resource.related("run"), "run-1");
  EXPECT_EQ(resource.all_related("others"), (std::vector<std::string>{"x", "z"}));
}

TEST(JsonApi, WhatIsOfAnotherTypeCountsAsEmpty) {
  const auto document = read_document(
      R"({"data":{"id":1,"attributes":{"name":2,"locked":"yes","count":"x","tags":{}},
          "relationships":{"run":[],"others":{"data":{}}}}})");
  ASSERT_TRUE(document.ok());
  const Resource& resource = document->data.at(0);
  EXPECT_EQ(resource.id, "");
  EXPECT_EQ(resource.text("name"), "");
  EXPECT_FALSE(resource.flag("locked"));
  EXPECT_FALSE(resource.flag("name", "inside"));
  EXPECT_EQ(resource.number("count"), 0);
  EXPECT_TRUE(resource.texts("tags").empty());
  EXPECT_EQ(resource.related("run"), "");
  EXPECT_TRUE(resource.all_related("others").empty());
}

TEST(JsonApi, WhatIsNoDocumentIsRefused) {
  for (const std::string_view text :
       {"", "null", "[]", "{}", R"({"data":null})", R"({"data":1})", R"({"data":[1]})",
        R"({"data":[],"included":[1]})", R"({"data":)", "<html>"}) {
    EXPECT_FALSE(read_document(text).ok()) << text;
  }
}

TEST(JsonApi, AListSaysWhichPageComesNext) {
  EXPECT_EQ(read_document(R"({"data":[],"meta":{"pagination":{"next-page":3}}})")->next_page, 3);
  EXPECT_EQ(read_document(R"({"data":[],"meta":{"pagination":{"next-page":null}}})")->next_page, 0);
  EXPECT_EQ(read_document(R"({"data":[],"meta":[]})")->next_page, 0);
}

TEST(JsonApi, ErrorsAreOneLineEachAndDoNotControlATerminal) {
  EXPECT_EQ(read_errors(R"({"errors":[{"title":"no","detail":"it\nis \u001b[31mred."},"plain"]})"),
            (std::vector<std::string>{"no: it is  [31mred", "plain"}));
  const auto longest = read_errors(R"({"errors":[{"title":")" + std::string(5000, 'x') + R"("}]})");
  EXPECT_LT(longest.at(0).size(), 500U);
  EXPECT_TRUE(read_errors("<html>").empty());
  EXPECT_TRUE(read_errors(R"({"errors":{}})").empty());
}

TEST(JsonApi, ADraftIsADocument) {
  EXPECT_EQ(Draft("runs")
                .set("text", "a\"b")
                .set("flag", true)
                .set("number", std::int64_t{7})
                .set("list", std::vector<std::string>{"x", "y"})
                .relate("workspace", "workspaces", "ws-1")
                .relate_named("tags", "tags", {"t"})
                .json(),
            R"({"data":{"type":"runs","attributes":{"text":"a\"b","flag":true,"number":7,)"
            R"("list":["x","y"]},"relationships":{"workspace":{"data":{"type":"workspaces",)"
            R"("id":"ws-1"}},"tags":{"data":[{"type":"tags","attributes":{"name":"t"}}]}}}})");
}

}  // namespace
}  // namespace tofu::cloud
