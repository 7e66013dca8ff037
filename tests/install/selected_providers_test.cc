#include "install/selected_providers.h"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <unistd.h>

#include "tests/archive/tree_fixture.h"

namespace tofu::install {
namespace {

using Kind = SelectionProblem::Kind;

constexpr const char* kPackage =
    "data/providers/registry.opentofu.org/hashicorp/null/3.2.1/linux_amd64";

class SelectedProvidersTest : public archive::TreeFixture {
 protected:
  SelectedProvidersTest() { write(in_package("terraform-provider-null_v3"), "program"); }

  static std::string in_package(std::string_view name) {
    return fmt::format("{}/{}", kPackage, name);
  }
  static addrs::Provider null() { return addrs::default_provider("null"); }
  static LockFile locked(std::vector<std::string> hashes) {
    LockFile lock;
    lock.providers[null().to_string()] = {.version = "3.2.1", .hashes = std::move(hashes)};
    return lock;
  }
  std::string hash() const { return *hash_package(at(kPackage)); }
  SelectedProviders select(const LockFile& lock, ProviderOverrides overrides = {}) const {
    return {at("data"), {"linux", "amd64"}, lock, std::move(overrides)};
  }
  static std::optional<Kind> problem(SelectedProviders selected) {
    const auto got = selected.get(null());
    return got ? std::optional<Kind>() : got.error().kind;
  }
};

TEST_F(SelectedProvidersTest, APackageWithALockedHashHasAnExecutable) {
  auto selected = select(locked({"zh:00", hash()}));
  EXPECT_TRUE(selected.check_presence(null()));
  const auto got = selected.get(null());
  ASSERT_TRUE(got) << got.error().what;
  EXPECT_EQ(got->version, "3.2.1");
  EXPECT_EQ(got->hash, hash());
  EXPECT_EQ(got->directory, at(kPackage));
  EXPECT_EQ(got->executable, at(in_package("terraform-provider-null_v3")));
}

TEST_F(SelectedProvidersTest, APackageThatWasChangedIsNotStarted) {
  const LockFile lock = locked({hash()});
  write(in_package("terraform-provider-null_v3"), "another program");
  EXPECT_EQ(problem(select(lock)), Kind::NotAllowed);
}

TEST_F(SelectedProvidersTest, TheProgramIsTheFileThatWasHashed) {
  auto selected = select(locked({hash()}));
  const auto got = selected.get(null());
  ASSERT_TRUE(got) << got.error().what;
  ASSERT_NE(got->program, nullptr);
  EXPECT_TRUE(got->program->is_unchanged());
  // Another file at the path is not the hashed one, and is not hashed again.
  std::filesystem::remove(got->executable);
  write(in_package("terraform-provider-null_v3"), "another");
  char content[16] = {};
  EXPECT_EQ(::pread(got->program->number(), content, sizeof content, 0), 7);
  EXPECT_EQ(std::string(content), "program");
}

TEST_F(SelectedProvidersTest, AnOverriddenProgramIsNotHeld) {
  write("built/terraform-provider-null", "work in progress");
  auto selected = select({}, {{null(), at("built")}});
  const auto got = selected.get(null());
  ASSERT_TRUE(got) << got.error().what;
  EXPECT_EQ(got->program, nullptr);
}

TEST_F(SelectedProvidersTest, ALockWithoutHashesAllowsNothing) {
  EXPECT_EQ(problem(select(locked({}))), Kind::NotAllowed);
  EXPECT_EQ(problem(select(locked({"zh:00"}))), Kind::NotAllowed);
}

TEST_F(SelectedProvidersTest, WhatIsMissingIsTold) {
  EXPECT_EQ(problem(select({})), Kind::NotLocked);
  LockFile newer = locked({hash()});
  newer.providers[null().to_string()].version = "3.2.2";
  EXPECT_EQ(problem(select(newer)), Kind::NotInstalled);
  EXPECT_FALSE(select(newer).check_presence(null()));
}

TEST_F(SelectedProvidersTest, APackageWithoutAnExecutableCannotBeUsed) {
  const std::string program = at(in_package("terraform-provider-null_v3"));
  std::filesystem::rename(program, at(in_package("terraform-provider-nullable")));
  EXPECT_EQ(problem(select(locked({hash()}))), Kind::Unusable);
}

TEST_F(SelectedProvidersTest, APackageMayBeALinkElsewhere) {
  const LockFile lock = locked({hash()});
  std::filesystem::rename(at(kPackage), at("cached"));
  std::filesystem::create_symlink(at("cached"), at(kPackage));
  EXPECT_EQ(problem(select(lock)), std::nullopt);
}

TEST_F(SelectedProvidersTest, AnOverrideNeedsNoLock) {
  write("built/terraform-provider-null", "work in progress");
  auto selected = select({}, {{null(), at("built")}});
  const auto got = selected.get(null());
  ASSERT_TRUE(got) << got.error().what;
  EXPECT_TRUE(got->is_overridden());
  EXPECT_EQ(got->executable, at("built/terraform-provider-null"));
  EXPECT_EQ(problem(select({}, {{null(), at("nowhere")}})), Kind::NotInstalled);
}

TEST_F(SelectedProvidersTest, VersionsAreThoseOfTheLockAndOfOverrides) {
  const auto selected = select(locked({}), {{addrs::default_provider("aws"), at("built")}});
  EXPECT_EQ(selected.versions(), (std::map<addrs::Provider, std::string>{
                                     {addrs::default_provider("aws"), ""}, {null(), "3.2.1"}}));
}

}  // namespace
}  // namespace tofu::install
