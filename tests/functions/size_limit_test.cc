// Values that would outgrow memory: an error, wherever they grow.
#include "value/size_limit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

// `big` is a sixteenth of the longest text in these, `wide` a list of a sixteenth of the most
// elements.
std::string with_big(std::string_view expression) {
  return fmt::format("[for big in [format(\"%{}s\", \"\")] : {}]", value::kMaxTextSize / 16,
                     expression);
}
std::string with_wide(std::string_view expression) {
  return fmt::format("[for wide in [split(\"\", format(\"%{}s\", \"\"))] : {}]",
                     value::kMaxElements / 16, expression);
}

void expect_refused(const std::string& expression, const std::string& reason) {
  Evaluation evaluation;
  const Evaluated got = evaluation.run(expression);
  EXPECT_FALSE(got.value.has_value()) << expression << " has no error";
  EXPECT_NE(got.message.find(reason), std::string::npos) << expression << ": " << got.message;
}

TEST(SizeLimit, TextThatGrowsTooLongIsAnError) {
  const std::string template_of_17 = [] {
    std::string text = "\"";
    for (int i = 0; i < 17; ++i) text += "${big}";
    return text + "\"";
  }();
  for (const std::string& expression : {
           template_of_17,
           std::string("\"%{ for i in range(17) }${big}%{ endfor }\""),
           std::string("join(big, [for i in range(18) : \"\"])"),
           std::string("format(\"%s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]"
                       "s%[1]s%[1]s%[1]s\", big)"),
           std::string("formatlist(\"%s%s\", range(17), big)"),
           std::string("replace(\"aaaaaaaaaaaaaaaaa\", \"a\", big)"),
           std::string("replace(\"aaaaaaaaaaaaaaaaa\", \"/a/\", big)"),
           std::string("jsonencode([for i in range(17) : big])"),
           std::string("yamlencode([for i in range(17) : big])"),
       }) {
    expect_refused(with_big(expression), value::text_too_long());
  }
  expect_refused(fmt::format("format(\"%{}s\", \"\")", value::kMaxTextSize + 1),
                 value::text_too_long());
  expect_refused("indent(1000000000, \"a\\nb\")", value::text_too_long());
  expect_refused("indent(1000000000000000000, \"no line end\")", value::text_too_long());
}

TEST(SizeLimit, TooManyElementsAreAnError) {
  for (const std::string_view expression : {
           "concat([for i in range(17) : wide]...)",
           "flatten([for i in range(17) : wide])",
           "transpose({ for i in range(17) : i => wide })",
           "setproduct(wide, range(17))",
       }) {
    expect_refused(with_wide(expression), value::too_many_elements());
  }
  expect_refused("setproduct(range(1024), range(1024), range(17))", value::too_many_elements());
  // 2^30 empty tuples in each other, of which there are 30 in memory.
  std::string nested = "[]";
  for (int i = 0; i < 30; ++i) nested = "[for x in [" + nested + "] : [x, x]][0]";
  expect_refused("flatten(" + nested + ")", value::too_many_in_all());
}

TEST(SizeLimit, WhatIsWithinItPasses) {
  Evaluation evaluation;
  const Evaluated text = evaluation.run(with_big("length(join(\"\", [big, big]))"));
  ASSERT_TRUE(text.value.has_value()) << text.message;
  EXPECT_EQ(text.value->plain().items()[0].plain().as_number().to_string(),
            std::to_string(value::kMaxTextSize / 8));
  const Evaluated list = evaluation.run(with_wide("length(concat(wide, wide))"));
  ASSERT_TRUE(list.value.has_value()) << list.message;
  EXPECT_EQ(list.value->plain().items()[0].plain().as_number().to_string(),
            std::to_string(value::kMaxElements / 8));
}

}  // namespace
}  // namespace tofu::functions
