#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(Marks, SensitiveIsPutOnAndTakenOff) {
  expect_same({
      {"sensitive(\"text\")", "secret.string"},
      {"nonsensitive(secret.string)", "\"text\""},
      {"nonsensitive(\"text\")", "\"text\""},
      {"nonsensitive(sensitive(key.string))", "key.string"},
      {"nonsensitive([secret.string])", "[secret.string]"},
      {"issensitive(secret.string)", "true"},
      {"issensitive([secret.string])", "false"},
      {"issensitive(key.string)", "false"},
      {"issensitive(unk.string) == null", "false"},
  });
}

TEST(Marks, EphemeralPartsBecomeNull) {
  expect_same({
      {"ephemeralasnull(key.string)", "tostring(null)"},
      {"ephemeralasnull({a = key.number, b = [key.string, 1]})",
       "{a = tonumber(null), b = [tostring(null), 1]}"},
      {"ephemeralasnull(sensitive(key.string))", "sensitive(tostring(null))"},
      {"ephemeralasnull(secret.string)", "secret.string"},
      {"ephemeralasnull(unk.string)", "unk.string"},
      {"ephemeralasnull(null)", "null"},
  });
}

TEST(Marks, ErrorsDoNotShowSecrets) {
  // "hush" and 73519 stand only in sensitive values, if not in the text of the expression.
  for (const std::string_view text : {
           R"(tonumber(SECRET))",
           R"([for x in [SECRET] : tonumber(x)])",
           R"([for x in LIST : tonumber(x)])",
           R"([for x in LIST : x.a])",
           R"([for k, v in MAP : tonumber(k)])",
           R"([for x in [LIST] : [for y in x : [for z in [y] : tonumber(z)]]])",
           R"({for x in LIST : x => tonumber(x)})",
           R"({for x in concat(LIST, LIST) : x => 1})",
           R"({for x in [SECRET, SECRET] : x => 1})",
           R"([for x in LIST : 1 if x])",
           R"([for x in LIST : issensitive(x) ? x : tonumber(x)])",
           R"("%{for x in LIST}${tonumber(x)}%{endfor}")",
           R"(templatestring("$${tonumber(a)}", {a = SECRET}))",
           R"(templatestring("%%{for x in a}$${tonumber(x)}%%{endfor}", {a = LIST}))",
           R"(cidrsubnet("10.0.0.0/8", NUMBER, 1))",
           R"(cidrsubnets(sensitive("10.73.51.9/31"), 1, 2))",
           R"(jsondecode(SECRET))",
           R"(format("%d", SECRET))",
       }) {
    std::string expression(text);
    for (const auto& [name, value] :
         {std::pair("LIST", "sensitive([join(\"\", [\"hu\", \"sh\"])])"),
          std::pair("MAP", "sensitive({(join(\"\", [\"hu\", \"sh\"])) = 1})"),
          std::pair("SECRET", "sensitive(join(\"\", [\"hu\", \"sh\"]))"),
          std::pair("NUMBER", "sensitive(73500 + 19)")}) {
      for (auto at = expression.find(name); at != std::string::npos; at = expression.find(name)) {
        expression.replace(at, std::string_view(name).size(), value);
      }
    }
    const Evaluated got = Evaluation().run(expression);
    EXPECT_FALSE(got.value) << text;
    for (const std::string_view part : {"hush", "73519", "10.73"}) {
      EXPECT_EQ(got.shown.find(part), std::string::npos) << text << ": " << got.shown;
    }
  }
}

TEST(Marks, ElementsOfASensitiveCollectionHaveNoMarksOfTheirOwn) {
  expect_same({
      {"[for x in sensitive([1]) : issensitive(x)]", "sensitive([false])"},
      {"{for k, v in sensitive({a = 1}) : k => v}", "sensitive({a = 1})"},
  });
}

}  // namespace
}  // namespace tofu::functions
