#include "addrs/provider_config.h"

#include <gtest/gtest.h>

#include "addrs/text.h"
#include "tests/addrs/parsed.h"

namespace tofu::addrs {
namespace {

TEST(ProviderConfig, ReadsBackWhatItPrints) {
  for (const char* text : {R"(provider["registry.opentofu.org/hashicorp/aws"])",
                           R"(provider["registry.opentofu.org/hashicorp/aws"].west)",
                           R"(module.a.module.b.provider["example.com/x/y"].west)",
                           R"(provider["registry.opentofu.org/hashicorp/aws"].west["eu"])",
                           R"(provider["registry.opentofu.org/hashicorp/aws"].west[0])"}) {
    Parsed parsed(text);
    const auto instance = parse_abs_provider_instance(*parsed, parsed.diags);
    ASSERT_TRUE(instance) << text;
    EXPECT_EQ(instance->to_string(), text);
  }
}

TEST(ProviderConfig, RefusesOtherShapesAtTheFaultyStep) {
  struct {
    const char* text;
    const char* error;
  } const rows[] = {
      {R"(module.a[0].provider["a/b"])", "ERR 11-27"},
      {R"(aws)", "ERR 0-3"},
      {R"(provider.aws)", "ERR 8-12"},
      {R"(provider[0])", "ERR 8-11"},
      {R"(provider["a/b"][0])", "ERR 15-18"},
      {R"(provider["a/b"].x.y)", "ERR 17-19"},
      {R"(provider["a/b"].x[0].y)", "ERR 20-22"},
      {R"(provider["a b"])", "ERR 8-15"},
      {R"(provider["a/b"].x[1.5])", "ERR 17-22"},
  };
  for (const auto& row : rows) {
    Parsed parsed(row.text);
    EXPECT_FALSE(parse_abs_provider_instance(*parsed, parsed.diags)) << row.text;
    EXPECT_EQ(parsed.error(), row.error) << row.text;
  }
}

TEST(ProviderConfig, AsAWholeHasNoKey) {
  Parsed parsed(R"(provider["a/b"].x["k"])");

  EXPECT_FALSE(parse_abs_provider_config(*parsed, parsed.diags));
  EXPECT_EQ(parsed.error(), "ERR 0-22");
}

TEST(ProviderConfig, OldStatesNameProvidersByType) {
  diag::Diagnostics diags;
  const auto aws = parse_text("module.m.provider.aws.west", &parse_legacy_provider_config, diags);
  const auto own = parse_text("provider.terraform", &parse_legacy_provider_config, diags);

  ASSERT_TRUE(aws && own);
  EXPECT_EQ(aws->to_string(), R"(module.m.provider["registry.opentofu.org/-/aws"].west)");
  EXPECT_TRUE(own->provider.is_builtin());
  EXPECT_FALSE(parse_text("provider[\"a\"]", &parse_legacy_provider_config, diags));
  EXPECT_FALSE(parse_text("provider.a.b.c", &parse_legacy_provider_config, diags));
  EXPECT_FALSE(parse_text("provider.a--b", &parse_legacy_provider_config, diags));
  EXPECT_FALSE(parse_text("provider.terraform-aws", &parse_legacy_provider_config, diags));
}

TEST(ProviderConfig, AChildInheritsTheDefaultOneOnly) {
  const AbsProviderConfig child{ModulePath{{"a"}}, default_provider("aws")};

  EXPECT_EQ(inherited_from(child), (AbsProviderConfig{{}, default_provider("aws")}));
  EXPECT_EQ(inherited_from(AbsProviderConfig{{}, default_provider("aws")}), std::nullopt);
  EXPECT_EQ(inherited_from(AbsProviderConfig{ModulePath{{"a"}}, default_provider("aws"), "west"}),
            std::nullopt);
}

TEST(ProviderConfig, LocalNamesPrintWithAndWithoutTheirPrefix) {
  EXPECT_EQ((LocalProviderConfig{"aws"}.to_string()), "provider.aws");
  EXPECT_EQ((LocalProviderConfig{"aws", "west"}.to_string()), "provider.aws.west");
  EXPECT_EQ((LocalProviderConfig{"aws", "west"}.compact()), "aws.west");
}

}  // namespace
}  // namespace tofu::addrs
