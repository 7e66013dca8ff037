#include "base/json_writer.h"

#include <gtest/gtest.h>

#include "base/check.h"

namespace tofu::base {
namespace {

void write_sample(JsonWriter& json) {
  json.begin_object();
  json.field("name", "x<y");
  json.key("list");
  json.begin_array();
  json.number(-1);
  json.null();
  json.boolean(true);
  json.end_array();
  json.key("empty");
  json.begin_object();
  json.end_object();
  json.key("raw");
  json.raw(R"({"a": [1,"b\",]"], "c":{}})");
  json.end_object();
}

TEST(JsonWriter, WritesOneLineWithoutIndentation) {
  std::string out;
  JsonWriter json(out);
  write_sample(json);

  EXPECT_EQ(out, R"({"name":"x\u003cy","list":[-1,null,true],"empty":{},)"
                 R"("raw":{"a": [1,"b\",]"], "c":{}}})");
}

TEST(JsonWriter, IndentsLikeGosMarshalIndent) {
  std::string out;
  JsonWriter json(out, "  ", false);
  write_sample(json);

  EXPECT_EQ(out, R"({
  "name": "x<y",
  "list": [
    -1,
    null,
    true
  ],
  "empty": {},
  "raw": {
    "a": [
      1,
      "b\",]"
    ],
    "c": {}
  }
})");
}

TEST(JsonWriter, RefusesWhatWouldNotBeJson) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();

  EXPECT_THROW(json.string("no key"), InternalError);
  EXPECT_THROW(json.end_array(), InternalError);
  json.key("k");
  EXPECT_THROW(json.key("again"), InternalError);
  EXPECT_THROW(json.end_object(), InternalError);
}

}  // namespace
}  // namespace tofu::base
