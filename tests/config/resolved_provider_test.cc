#include "config/resolved_provider.h"

#include "tests/config/link_fixture.h"

namespace tofu::config {
namespace {

class ResolveProvider : public LinkFixture {
 protected:
  // The address of what `name` stands for in the last module of what was written.
  std::string address_of(std::string_view name, std::string_view alias = {}) {
    tree_ = link();
    EXPECT_FALSE(diags_.has_errors()) << (diags_.empty() ? "" : diags_.items()[0].detail);
    const ModuleId last{static_cast<std::uint32_t>(tree_.nodes.size() - 1)};
    found_ = resolve_provider(tree_, last, name, alias);
    return found_.address(tree_).to_string();
  }

  Tree tree_;
  ResolvedProvider found_;
};

TEST_F(ResolveProvider, ADefaultConfigurationIsInherited) {
  write(".", "provider \"a\" {\n  x = 1\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n");
  write("./m", "module \"n\" {\n  source = \"./n\"\n}\n");
  write("./n", "");

  EXPECT_EQ(address_of("a"), "provider[\"registry.opentofu.org/hashicorp/a\"]");
  EXPECT_NE(found_.config, nullptr);
}

TEST_F(ResolveProvider, ADefaultConfigurationThatNobodyWroteIsOneOfTheRootModule) {
  write(".", "module \"m\" {\n  source = \"./m\"\n}\n");
  write("./m", "");

  EXPECT_EQ(address_of("a"), "provider[\"registry.opentofu.org/hashicorp/a\"]");
  EXPECT_EQ(found_.config, nullptr);
  EXPECT_TRUE(found_.exists());
}

TEST_F(ResolveProvider, TheSameNameMayStandForAnotherProviderFurtherUp) {
  write(".", "provider \"a\" {\n  x = 1\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n");
  write("./m",
        "terraform {\n  required_providers {\n    a = {\n      source = \"example/a\"\n    }\n"
        "  }\n}\n");

  EXPECT_EQ(address_of("a"), "provider[\"registry.opentofu.org/example/a\"]");
  EXPECT_EQ(found_.config, nullptr);
}

TEST_F(ResolveProvider, APassedConfigurationIsTheCallers) {
  write(".",
        "provider \"a\" {\n  alias = \"west\"\n  x = 1\n}\n"
        "module \"m\" {\n  source = \"./m\"\n  providers = {\n    a = a.west\n  }\n}\n");
  write("./m",
        "terraform {\n  required_providers {\n    a = {\n      source = \"hashicorp/a\"\n    }\n"
        "  }\n}\n");

  EXPECT_EQ(address_of("a"), "provider[\"registry.opentofu.org/hashicorp/a\"].west");
}

TEST_F(ResolveProvider, AnAliasIsNotInherited) {
  write(
      ".",
      "provider \"a\" {\n  alias = \"west\"\n  x = 1\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n");
  write("./m", "");

  EXPECT_EQ(address_of("a", "west"),
            "module.m.provider[\"registry.opentofu.org/hashicorp/a\"].west");
  EXPECT_FALSE(found_.exists());
}

TEST_F(ResolveProvider, ACallMaySayWhichInstanceItPasses) {
  write(".",
        "provider \"a\" {\n  alias = \"all\"\n  for_each = toset([\"eu\"])\n}\n"
        "module \"m\" {\n  source = \"./m\"\n  providers = {\n    a = a.all[\"eu\"]\n  }\n}\n");
  write("./m",
        "terraform {\n  required_providers {\n    a = {\n      source = \"hashicorp/a\"\n    }\n"
        "  }\n}\nmodule \"n\" {\n  source = \"./n\"\n}\n");
  write("./n", "");

  EXPECT_EQ(address_of("a"), "provider[\"registry.opentofu.org/hashicorp/a\"].all");
  ASSERT_NE(found_.key, nullptr);
  EXPECT_EQ(found_.key_module, ModuleId{0});
}

}  // namespace
}  // namespace tofu::config
