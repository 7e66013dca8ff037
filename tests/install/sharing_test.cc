#include "install/sharing.h"

#include <gtest/gtest.h>

namespace tofu::install {
namespace {

using config::PackageMetadata;
using config::PackageModule;

const Declaration kNothing;
const Declaration kReadOnlyAbove{Mutability::ReadOnly, "the caller"};
const Declaration kModifyingAbove{Mutability::SelfModifying, "the caller"};

PackageModule module_at(std::string path, bool self, bool dependencies) {
  PackageModule module;
  module.path = std::move(path);
  module.self_read_only = self;
  module.dependencies_read_only = dependencies;
  return module;
}

TEST(Sharing, ASilentPackageWithSilentCallersIsCopied) {
  const EffectivePolicy policy = effective_policy(nullptr, ".", "net", kNothing);
  EXPECT_EQ(policy.self.stance, Mutability::NotSaid);
  EXPECT_EQ(policy.dependencies.stance, Mutability::NotSaid);
  EXPECT_EQ(placement_of(policy, false), Placement::Own);
}

TEST(Sharing, AnEmptyFileSharesThePackageAndSilentOnesBelowIt) {
  const PackageMetadata empty;
  const EffectivePolicy policy = effective_policy(&empty, ".", "net", kNothing);
  EXPECT_EQ(placement_of(policy, false), Placement::Shared);
  EXPECT_EQ(placement_of(effective_policy(nullptr, ".", "below", policy.dependencies), false),
            Placement::Shared);
}

TEST(Sharing, ASilentPackageHandsOnWhatItsCallerSays) {
  const EffectivePolicy policy = effective_policy(nullptr, ".", "net", kReadOnlyAbove);
  EXPECT_EQ(policy.dependencies.stance, Mutability::ReadOnly);
  EXPECT_EQ(policy.dependencies.by, "the caller");
  EXPECT_EQ(placement_of(policy, false), Placement::Shared);
  EXPECT_EQ(placement_of(effective_policy(nullptr, ".", "net", kModifyingAbove), false),
            Placement::Own);
}

TEST(Sharing, APackagesOwnFileWinsOverItsCallers) {
  const PackageMetadata empty;
  EXPECT_EQ(placement_of(effective_policy(&empty, ".", "net", kModifyingAbove), false),
            Placement::Shared);
  PackageMetadata modifying;
  modifying.modules = {module_at(".", false, true)};
  const EffectivePolicy policy = effective_policy(&modifying, ".", "net", kReadOnlyAbove);
  EXPECT_EQ(placement_of(policy, false), Placement::Own);
  EXPECT_EQ(policy.dependencies.stance, Mutability::ReadOnly);
  EXPECT_EQ(policy.self.by, "module-package.meta.hcl of net");
}

TEST(Sharing, OnlyTheListedPathChangesItself) {
  PackageMetadata metadata;
  metadata.modules = {module_at("modules/a", false, false)};
  const EffectivePolicy listed = effective_policy(&metadata, "modules/a", "net", kNothing);
  EXPECT_EQ(placement_of(listed, false), Placement::Own);
  EXPECT_EQ(listed.dependencies.stance, Mutability::SelfModifying);
  EXPECT_EQ(placement_of(effective_policy(&metadata, "modules/b", "net", kNothing), false),
            Placement::Shared);
}

TEST(Sharing, ALocalModuleStaysInItsPackageUnlessTheFileSaysThatItChangesItself) {
  PackageMetadata metadata;
  metadata.modules = {module_at("helper", false, true)};
  EXPECT_EQ(placement_of(effective_policy(&metadata, "helper", "net", kNothing), true),
            Placement::Own);
  EXPECT_EQ(placement_of(effective_policy(&metadata, "other", "net", kNothing), true),
            Placement::Here);
  EXPECT_EQ(placement_of(effective_policy(nullptr, "helper", "net", kModifyingAbove), true),
            Placement::Here);
}

}  // namespace
}  // namespace tofu::install
