#include "inventory/lock_check.h"

#include <gmock/gmock.h>

namespace tofu::inventory {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNet = "git::https://example.com/net.git";

class LockCheckTest : public ::testing::Test {
 protected:
  std::string problem() const { return lock_problem(package_, lock_); }

  install::PackageRecord package_{.label = kNet, .revision = "c0ffee", .hash = "h1:a"};
  install::LockFile lock_;
};

TEST_F(LockCheckTest, APackageIsLockedByItsStateAndItsHash) {
  lock_.set_module({.label = kNet, .version = "c0ffee", .hashes = {"h1:a"}});
  EXPECT_EQ(problem(), "");
  package_.hash = "h1:b";
  EXPECT_THAT(problem(), HasSubstr("with the hash h1:b, but is locked with h1:a"));
  package_.archive_hash = "h1:a";
  EXPECT_EQ(problem(), "") << "archives may be locked by their own hash";
}

TEST_F(LockCheckTest, AMissingEntryAndAnotherStateAreDifferentProblems) {
  EXPECT_THAT(problem(), HasSubstr("no entry"));
  lock_.set_module({.label = kNet, .version = "decaf", .hashes = {"h1:a"}});
  EXPECT_THAT(problem(), HasSubstr("is installed at c0ffee, but is locked at decaf"));
}

TEST_F(LockCheckTest, OneErrorNamesAllPackagesAndTheirUsers) {
  diag::Diagnostics diags;
  const install::PackageUse uses[] = {
      {package_, true, "", {"module.a", "module.b", "module.c", "module.d", "module.e"}},
      {{.label = "registry.example.com/a/b/c", .version = "1.0.0", .hash = "h1:x"},
       true,
       "",
       {"module.z"}}};
  EXPECT_FALSE(check_lock(uses, lock_, diags));
  ASSERT_EQ(diags.size(), 1u);
  EXPECT_EQ(diags.items()[0].summary, "Inconsistent dependency lock file");
  EXPECT_THAT(diags.items()[0].detail, HasSubstr("module.c and 2 more"));
  EXPECT_THAT(diags.items()[0].detail, HasSubstr("registry.example.com/a/b/c"));
}

}  // namespace
}  // namespace tofu::inventory
