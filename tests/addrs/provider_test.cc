#include "addrs/provider.h"

#include <gtest/gtest.h>

namespace tofu::addrs {
namespace {

std::optional<Provider> parse(std::string_view text) {
  diag::Diagnostics diags;
  auto provider = parse_provider_source(text, {}, diags);
  EXPECT_EQ(provider.has_value(), !diags.has_errors()) << text;
  return provider;
}

// Recorded from OpenTofu 1.12.6.
TEST(Provider, FillsInAndNormalizes) {
  struct {
    const char* given;
    const char* whole;
    const char* shown;
  } const rows[] = {
      {"aws", "registry.opentofu.org/hashicorp/aws", "hashicorp/aws"},
      {"HashiCorp/AWS", "registry.opentofu.org/hashicorp/aws", "hashicorp/aws"},
      {"registry.terraform.io/hashicorp/aws", "registry.terraform.io/hashicorp/aws",
       "registry.terraform.io/hashicorp/aws"},
      {"Example.com:8080/a/b", "example.com:8080/a/b", "example.com:8080/a/b"},
      {"foo/BÜCHER", "registry.opentofu.org/foo/bücher", "foo/bücher"},
      {"bücher.com/a/b", "bücher.com/a/b", "bücher.com/a/b"},
      {"-/aws", "registry.opentofu.org/-/aws", "-/aws"},
  };
  for (const auto& row : rows) {
    const auto provider = parse(row.given);
    ASSERT_TRUE(provider) << row.given;
    EXPECT_EQ(provider->to_string(), row.whole);
    EXPECT_EQ(provider->for_display(), row.shown);
    EXPECT_EQ(parse(provider->to_string()), provider);
  }
}

TEST(Provider, RefusesWhatIsNone) {
  for (const char* given :
       {"", "a//b", "/a", "a/b/c/d", "a.b", "a--b", "a_b", "-a", "a-", "a b", "https://a/b",
        "example.com:x/a/b", "example.com/-/aws", "foo..com/a/b", "xn--bcher-kva.com/a/b", "a_b/c",
        "hashicorp/terraform-aws", "a/opentofu-x"}) {
    EXPECT_FALSE(parse(given)) << given;
  }
}

TEST(Provider, ALoneTypeIsNotLookedAtFurther) {
  EXPECT_EQ(parse("terraform-provider-foo")->for_display(), "hashicorp/terraform-provider-foo");
}

TEST(Provider, SuggestsTheTypeWhenGivenARepository) {
  diag::Diagnostics diags;
  EXPECT_FALSE(
      parse_provider_source("a/terraform-provider-b", diag::SourceRange{{0}, 1, 2}, diags));

  EXPECT_TRUE(diags.items()[0].detail.ends_with("Did you mean \"a/b\"?"));
  EXPECT_EQ(diags.items()[0].subject, (diag::SourceRange{{0}, 1, 2}));
}

TEST(Provider, KnowsItsSpecialKinds) {
  EXPECT_TRUE(parse("terraform.io/builtin/terraform")->is_builtin());
  EXPECT_TRUE(parse("opentofu.org/builtin/terraform")->is_builtin());
  EXPECT_FALSE(parse("builtin/terraform")->is_builtin());
  EXPECT_TRUE(parse("-/aws")->is_legacy());
  EXPECT_EQ(implied_provider("terraform").to_string(), "terraform.io/builtin/terraform");
  EXPECT_EQ(implied_provider("aws"), *parse("aws"));
}

TEST(Provider, OrdersByHostNamespaceType) {
  EXPECT_LT(*parse("a.com/z/z"), *parse("b.com/a/a"));
  EXPECT_LT(*parse("a.com/a/z"), *parse("a.com/b/a"));
  EXPECT_LT(*parse("a.com/a/a"), *parse("a.com/a/b"));
}

}  // namespace
}  // namespace tofu::addrs
