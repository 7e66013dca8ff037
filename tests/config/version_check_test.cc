#include "config/version_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const OwnVersions kOwn{addrs::Version(1, 12, 6), 1, 12};

bool line_meets(std::string_view text) {
  const auto constraints = addrs::Constraints::parse(text);
  EXPECT_TRUE(constraints) << text;
  return kOwn.terraform_meets(*constraints);
}

TEST(VersionCheck, AnyPatchReleaseOfTheLineCounts) {
  for (const char* met :
       {">= 1.12.4", "= 1.12.4", "1.12.4", "< 1.12.9", "~> 1.12.3", "> 1.12.3, < 1.12.5",
        "!= 1.12.0", "<= 1.12.0", ">= 1.5", "~> 1.0", ">= 1.12.4-beta1"}) {
    EXPECT_TRUE(line_meets(met)) << met;
  }
  for (const char* unmet :
       {">= 1.13", "< 1.12", "!= 1.12.1, = 1.12.1", "= 1.11.4", "> 1.12.3, < 1.12.4", "~> 1.11.0",
        "= 1.12.4-beta1", "> 1.12.4, < 1.12.2"}) {
    EXPECT_FALSE(line_meets(unmet)) << unmet;
  }
}

// What check_versions() and warn_of_equivalence() say of one constraint for Terraform.
std::string said(std::string_view constraint, VersionCheck mode, bool is_local = true) {
  VersionRequirement requirement;
  requirement.constraints = *addrs::Constraints::parse(constraint);
  requirement.kind = VersionKind::Terraform;
  const std::vector<VersionRequirement> requirements{requirement};
  const std::vector<ModuleVersions> modules{{"module.net", &requirements, is_local}};
  VersionReport report = check_versions(modules, mode, kOwn);
  const diag::SourceMap sources;
  warn_of_equivalence(report.equivalent, kOwn, Listing::Each, sources, report.errors);
  return report.errors.empty() ? "" : report.errors.items()[0].detail;
}

TEST(VersionCheck, APinOfOnePatchIsToldWhatToWrite) {
  EXPECT_THAT(said("1.12.4", VersionCheck::Equivalent),
              AllOf(HasSubstr("\"~> 1.12.0\""), HasSubstr("identical, tofu-only, off")));
  EXPECT_THAT(said(">= 1.12.4", VersionCheck::Equivalent), Not(HasSubstr("~>")));
}

TEST(VersionCheck, APinOfAnotherLineIsToldWhatToWrite) {
  EXPECT_THAT(said("= 1.11.4", VersionCheck::Equivalent),
              AllOf(HasSubstr("does not allow Terraform 1.12.x"), HasSubstr("\">= 1.11.4\""),
                    HasSubstr("-version-check=tofu-only")));
  EXPECT_THAT(said("= 1.12.4", VersionCheck::Identical),
              AllOf(HasSubstr("does not allow OpenTofu 1.12.6"), HasSubstr("\">= 1.12.4\"")));
}

TEST(VersionCheck, OfAFetchedModuleTheAuthorIsToBeTold) {
  EXPECT_THAT(said("~> 1.12.0", VersionCheck::Equivalent, false),
              AllOf(HasSubstr("author"), HasSubstr("-version-check=tofu-only")));
  EXPECT_THAT(said("~> 1.12.0", VersionCheck::Equivalent, true), Not(HasSubstr("author")));
}

}  // namespace
}  // namespace tofu::config
