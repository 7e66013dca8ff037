#include "value/path.h"

#include <gtest/gtest.h>

#include "tests/value/make.h"
#include "value/operations.h"

namespace tofu::value {
namespace {

TEST(Path, IsWrittenAsInTheLanguageAndInWords) {
  const Path path = Path().with_attribute("tags").with_index(str("Name")).with_index(num(0));
  EXPECT_EQ(to_string(path), ".tags[\"Name\"][0]");
  EXPECT_EQ(to_string(PathError{path, "a number is required"}),
            "attribute \"tags\": element \"Name\": element 0: a number is required");
  EXPECT_EQ(to_string(Path()), "");
  EXPECT_EQ(to_string(Path().with_index(str("pw").with_marks(Marks::sensitive()))),
            "[(sensitive value)]");
}

TEST(Path, EqualsByNamesAndKeys) {
  EXPECT_EQ(Path().with_index(num(1)), Path().with_index(dec("1")));
  EXPECT_FALSE(Path().with_index(str("a")) == Path().with_attribute("a"));
  EXPECT_FALSE(Path().with_attribute("a") == Path().with_attribute("b"));
}

TEST(Path, LeadsToAPartAndGathersMarksOnTheWay) {
  const Value root =
      object({{"list", Value::list(Type::string(), {str("a")})},
              {"map", Value::map(Type::number(), {{"k", num(7)}}).with_marks(Marks::sensitive())},
              {"set", Value::set(Type::number(), {num(1)})},
              {"open", Value::unknown()}});
  const auto at = [&](const Path& path) { return follow(root, path); };
  EXPECT_TRUE(raw_equal(*at(Path().with_attribute("list").with_index(num(0))), str("a")));
  EXPECT_TRUE(raw_equal(*at(Path().with_attribute("map").with_index(str("k"))),
                        num(7).with_marks(Marks::sensitive())));
  EXPECT_TRUE(raw_equal(*at(Path().with_attribute("set").with_index(num(1))), num(1)));
  EXPECT_TRUE(raw_equal(*at(Path().with_attribute("open").with_attribute("x").with_index(num(1))),
                        Value::unknown()));
  for (const Path& path : {Path().with_attribute("none"), Path().with_index(num(0)),
                           Path().with_attribute("list").with_index(num(1)),
                           Path().with_attribute("set").with_index(num(2))}) {
    EXPECT_FALSE(at(path).ok()) << to_string(path);
  }
  const auto error = at(Path().with_attribute("list").with_index(num(5)).with_attribute("x"));
  EXPECT_EQ(to_string(error.error().path), ".list");
}

}  // namespace
}  // namespace tofu::value
