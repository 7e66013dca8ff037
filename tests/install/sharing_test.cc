#include "install/sharing.h"

#include <gtest/gtest.h>

namespace tofu::install {
namespace {

using config::PackageMetadata;
using config::PackageModule;

const Said kNothing;
const Said kReadOnlyAbove{Stance::ReadOnly, "the caller"};
const Said kModifyingAbove{Stance::SelfModifying, "the caller"};

PackageModule module_at(std::string path, bool self, bool dependencies) {
  PackageModule module;
  module.path = std::move(path);
  module.self_read_only = self;
  module.dependencies_read_only = dependencies;
  return module;
}

TEST(Sharing, ASilentPackageWithSilentCallersIsCopied) {
  const Standing standing = standing_of(nullptr, ".", "net", kNothing);
  EXPECT_EQ(standing.self.stance, Stance::NotSaid);
  EXPECT_EQ(standing.dependencies.stance, Stance::NotSaid);
  EXPECT_EQ(placement_of(standing, false), Placement::Own);
}

TEST(Sharing, AnEmptyFileSharesThePackageAndSilentOnesBelowIt) {
  const PackageMetadata empty;
  const Standing standing = standing_of(&empty, ".", "net", kNothing);
  EXPECT_EQ(placement_of(standing, false), Placement::Shared);
  EXPECT_EQ(placement_of(standing_of(nullptr, ".", "below", standing.dependencies), false),
            Placement::Shared);
}

TEST(Sharing, ASilentPackageHandsOnWhatItsCallerSays) {
  const Standing standing = standing_of(nullptr, ".", "net", kReadOnlyAbove);
  EXPECT_EQ(standing.dependencies.stance, Stance::ReadOnly);
  EXPECT_EQ(standing.dependencies.by, "the caller");
  EXPECT_EQ(placement_of(standing, false), Placement::Shared);
  EXPECT_EQ(placement_of(standing_of(nullptr, ".", "net", kModifyingAbove), false), Placement::Own);
}

TEST(Sharing, APackagesOwnFileWinsOverItsCallers) {
  const PackageMetadata empty;
  EXPECT_EQ(placement_of(standing_of(&empty, ".", "net", kModifyingAbove), false),
            Placement::Shared);
  PackageMetadata modifying;
  modifying.modules = {module_at(".", false, true)};
  const Standing standing = standing_of(&modifying, ".", "net", kReadOnlyAbove);
  EXPECT_EQ(placement_of(standing, false), Placement::Own);
  EXPECT_EQ(standing.dependencies.stance, Stance::ReadOnly);
  EXPECT_EQ(standing.self.by, "module-package.meta.hcl of net");
}

TEST(Sharing, OnlyTheListedPathChangesItself) {
  PackageMetadata metadata;
  metadata.modules = {module_at("modules/a", false, false)};
  const Standing listed = standing_of(&metadata, "modules/a", "net", kNothing);
  EXPECT_EQ(placement_of(listed, false), Placement::Own);
  EXPECT_EQ(listed.dependencies.stance, Stance::SelfModifying);
  EXPECT_EQ(placement_of(standing_of(&metadata, "modules/b", "net", kNothing), false),
            Placement::Shared);
}

TEST(Sharing, ALocalModuleStaysInItsPackageUnlessTheFileSaysThatItChangesItself) {
  PackageMetadata metadata;
  metadata.modules = {module_at("helper", false, true)};
  EXPECT_EQ(placement_of(standing_of(&metadata, "helper", "net", kNothing), true), Placement::Own);
  EXPECT_EQ(placement_of(standing_of(&metadata, "other", "net", kNothing), true), Placement::Here);
  EXPECT_EQ(placement_of(standing_of(nullptr, "helper", "net", kModifyingAbove), true),
            Placement::Here);
}

}  // namespace
}  // namespace tofu::install
