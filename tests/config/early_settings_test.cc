#include "config/early_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/link_fixture.h"

namespace tofu::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EarlySettings : public LinkFixture {
 protected:
  void check(const std::string& text) {
    write(".", text);
    const Tree tree = link();
    check_backend_values(*tree.root().statics, diags_);
  }
};

TEST_F(EarlySettings, ABackendMayUseVariablesAndLocals) {
  check(
      "variable \"v\" {\n  default = \"x\"\n}\nlocals {\n  l = var.v\n}\n"
      "terraform {\n  backend \"s3\" {\n    bucket = local.l\n    assume_role {\n      role = "
      "var.v\n"
      "    }\n  }\n}\n");
  EXPECT_THAT(error_lines(), IsEmpty());
}

TEST_F(EarlySettings, ABackendCannotUseWhatIsKnownLater) {
  check(
      "resource \"a\" \"b\" {}\nlocals {\n  l = a.b.id\n}\n"
      "terraform {\n  backend \"s3\" {\n    assume_role {\n      role = local.l\n    }\n  }\n}\n");
  EXPECT_THAT(error_lines(), ElementsAre(3, 6));
  EXPECT_THAT(diags_.items()[0].detail, HasSubstr("backend.s3 uses local.l"));
}

TEST_F(EarlySettings, ASecretInABackendIsRefused) {
  check(
      "variable \"v\" {\n  default = \"x\"\n  sensitive = true\n}\n"
      "terraform {\n  backend \"local\" {\n    path = var.v\n  }\n}\n");
  EXPECT_EQ(error_lines().size(), 1U);
}

}  // namespace
}  // namespace tofu::config
