#include "addrs/function_name.h"

#include <gtest/gtest.h>

namespace tofu::addrs {
namespace {

TEST(FunctionName, ReadsBackWhatItPrints) {
  for (const char* text : {"upper", "core::upper", "provider::aws::arn_parse",
                           "provider::aws::west::f", "symbols::lib::f"}) {
    EXPECT_EQ(parse_function_name(text).to_string(), text);
  }
}

TEST(FunctionName, CoreIsAnotherWordForNoNamespace) {
  EXPECT_TRUE(parse_function_name("upper").is_builtin());
  EXPECT_TRUE(parse_function_name("core::upper").is_builtin());
  EXPECT_FALSE(parse_function_name("core::x::upper").is_builtin());
  EXPECT_FALSE(parse_function_name("provider::aws::upper").is_builtin());
  EXPECT_TRUE(parse_function_name("symbols::f").is_in("symbols"));
  EXPECT_FALSE(parse_function_name("symbols").is_in("symbols"));
}

TEST(ProviderFunction, HasAProviderAndPerhapsAnAlias) {
  diag::Diagnostics diags;
  for (const char* text : {"provider::aws::f", "provider::aws::west::f"}) {
    const auto function = as_provider_function(parse_function_name(text), {}, diags);
    ASSERT_TRUE(function);
    EXPECT_EQ(function->to_string(), text);
    EXPECT_EQ(function->provider, "aws");
  }
  EXPECT_TRUE(diags.empty());
}

TEST(ProviderFunction, OtherNumbersOfPartsAreErrorsAtThePlace) {
  for (const char* text : {"provider::f", "provider::a::b::c::f"}) {
    diag::Diagnostics diags;
    EXPECT_FALSE(as_provider_function(parse_function_name(text), {{0}, 3, 9}, diags));
    EXPECT_EQ(diags.items()[0].subject, (diag::SourceRange{{0}, 3, 9}));
  }
}

}  // namespace
}  // namespace tofu::addrs
