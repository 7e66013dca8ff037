#include "schema/checks.h"

#include <gtest/gtest.h>
#include <string>

#include "syntax/parser.h"

namespace tofu::schema {
namespace {

using value::Path;
using value::Value;

constexpr const char* kText = R"(
name = "x"
list = [
  "a",
  "b",
]
map = {
  k = 1
}
inner {
  deep = 1
}
inner {
  deep = 2
}
labeled "l" {
  deep = 3
}
)";

// The source text at the place of `path`; "(block)" where it is a block.
std::string text_at(const Path& path) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const diag::FileId id = sources.add("test.tf", kText);
  const auto file = syntax::parse_file(sources, id, diags);
  const diag::SourceRange place = place_of(file->body(), path);
  const std::string text = std::string(kText).substr(place.begin, place.end - place.begin);
  return place.begin == place.end || text == "{" ? "(block)" : text;
}

Path attribute(const char* name) { return Path().with_attribute(name); }

TEST(PlaceOfAProblem, IsTheAttributeOrTheElementThatIsWrittenOut) {
  EXPECT_EQ(text_at(attribute("name")), "\"x\"");
  EXPECT_EQ(text_at(attribute("list").with_index(Value::integer(1))), "\"b\"");
  EXPECT_EQ(text_at(attribute("map").with_index(Value::string("k"))), "1");
}

TEST(PlaceOfAProblem, IsTheWholeAttributeIfThereIsNoSuchElement) {
  EXPECT_TRUE(text_at(attribute("list").with_index(Value::integer(7))).starts_with("["));
  EXPECT_TRUE(text_at(attribute("map").with_index(Value::string("none"))).starts_with("{\n"));
}

TEST(PlaceOfAProblem, IsFoundInNestedBlocks) {
  EXPECT_EQ(text_at(attribute("inner").with_index(Value::integer(1)).with_attribute("deep")), "2");
  EXPECT_EQ(text_at(attribute("labeled").with_index(Value::string("l")).with_attribute("deep")),
            "3");
}

// The body around a block has it or lacks it.
TEST(PlaceOfAProblem, OfABlockAsAWholeIsWhereItStands) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const diag::FileId id = sources.add("test.tf", kText);
  const auto file = syntax::parse_file(sources, id, diags);
  const diag::SourceRange around = place_of(file->body(), Path());
  for (const Path& path : {attribute("inner"), attribute("inner").with_index(Value::integer(1)),
                           attribute("labeled").with_index(Value::string("l"))}) {
    EXPECT_EQ(place_of(file->body(), path).begin, around.begin);
  }
}

}  // namespace
}  // namespace tofu::schema
