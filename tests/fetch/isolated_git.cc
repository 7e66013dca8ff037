// Tests do not see the git configuration of the user or of the machine.
#include <cstdlib>
#include <gtest/gtest.h>

namespace tofu::fetch {
namespace {

class IsolatedGit : public ::testing::Environment {
 public:
  void SetUp() override {
    ::setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
  }
};

// Owned by the test framework.
[[maybe_unused]] const ::testing::Environment* const kIsolatedGit =
    ::testing::AddGlobalTestEnvironment(new IsolatedGit);

}  // namespace
}  // namespace tofu::fetch
