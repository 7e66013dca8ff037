#include <gtest/gtest.h>

#include "addrs/parse.h"
#include "addrs/text.h"

namespace tofu::addrs {
namespace {

Target target(const char* text) {
  diag::Diagnostics diags;
  return parse_text(text, &parse_target, diags).value();
}

TEST(TargetContains, FollowsKeysAsOpenTofuDoes) {
  struct {
    const char* outer;
    const char* inner;
    bool contains;
  } const rows[] = {
      {"module.a", "module.a[0]", true},
      {"module.a", "module.a.module.b", true},
      {"module.a", "module.a[0].b.c[1]", true},
      {"module.a[0]", "module.a[0].b.c", true},
      {"module.a[0]", "module.a[1].b.c", false},
      {"module.a[0]", "module.a", false},
      {"module.a.module.b", "module.a[0].module.b", false},
      {"module.a.module.b", "module.a", false},
      {"b.c", "b.c", true},
      {"b.c", "b.c[0]", true},
      {"b.c[0]", "b.c", false},
      {"b.c[0]", "b.c[0]", true},
      {"b.c[0]", "b.c[1]", false},
      {"b.c", "module.a.b.c", false},
      {"data.b.c", "b.c", false},
      {"b.c", "module.a", false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(target_contains(target(row.outer), target(row.inner)), row.contains)
        << row.outer << " / " << row.inner;
  }
}

TEST(TargetContains, ComparesWithTheConfigurationOnlyWithoutKeys) {
  const ConfigResource inner{ModulePath{{"a"}}, {ResourceMode::Managed, "b", "c"}};

  EXPECT_TRUE(target_contains(target("module.a"), inner));
  EXPECT_TRUE(target_contains(target("module.a.b.c"), inner));
  EXPECT_FALSE(target_contains(target("module.a[0]"), inner));
  EXPECT_FALSE(target_contains(target("module.a.b.c[0]"), inner));
  EXPECT_FALSE(target_contains(target("module.a[0].b.c"), inner));
  EXPECT_TRUE(target_contains(target("module.a"), ModulePath{{"a", "x"}}));
  EXPECT_FALSE(target_contains(target("module.a.module.x"), ModulePath{{"a"}}));
  EXPECT_FALSE(target_contains(target("b.c"), ModulePath{{"a"}}));
}

}  // namespace
}  // namespace tofu::addrs
