#include "backends/kinds.h"

#include <gtest/gtest.h>

namespace tofu::backends {
namespace {

using value::Value;

Value settings(Value path, Value directory) {
  return Value::object({{"path", std::move(path)}, {"workspace_dir", std::move(directory)}});
}

Value unset() { return Value::null(value::Type::string()); }

// Recorded by OpenTofu 1.12.6, which has to find the block unchanged.
TEST(Kinds, TheHashOfABlockIsOpenTofus) {
  EXPECT_EQ(settings_hash("local", settings(Value::string("a.tfstate"), unset())), 2985648108U);
  EXPECT_EQ(settings_hash("local", settings(Value::string("b.tfstate"), unset())), 2554194718U);
}

TEST(Kinds, AnEmptySettingIsRefused) {
  const Kind& local = *find_kind("local");
  diag::Diagnostics diags;
  EXPECT_TRUE(local.check(no_settings(local), diags));
  EXPECT_FALSE(local.check(settings(Value::string(""), unset()), diags));
  EXPECT_FALSE(local.check(settings(unset(), Value::string("")), diags));
  EXPECT_EQ(diags.error_count(), 2U);
}

TEST(Kinds, WhatIsNotSetIsAsWithoutABlock) {
  const Kind& local = *find_kind("local");
  const Surroundings around{.state_override = {},
                            .state_out_override = {},
                            .backup_override = {},
                            .version = {},
                            .encryption = state::no_encryption()};
  const auto plain = local.open(no_settings(local), around);
  const auto same = local.open(settings(Value::string("terraform.tfstate"), unset()), around);
  const auto other = local.open(settings(Value::string("other.tfstate"), unset()), around);
  EXPECT_EQ(plain->identity(), same->identity());
  EXPECT_NE(plain->identity(), other->identity());
}

TEST(Kinds, AKindOfAnotherProgramIsToldFromAMistake) {
  EXPECT_EQ(find_kind("s3"), nullptr);
  EXPECT_TRUE(is_kind_elsewhere("s3"));
  EXPECT_FALSE(is_kind_elsewhere("nope"));
}

}  // namespace
}  // namespace tofu::backends
