#include "workdir/command_encryption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "tests/cli/test_directory.h"
#include "workdir/access.h"

namespace tofu::workdir {
namespace {

constexpr const char* kBlock = R"(
terraform {
  encryption {
    key_provider "pbkdf2" "k" {
      passphrase = "a passphrase of the test"
      iterations = 200000
    }
    method "aes_gcm" "m" {
      keys = key_provider.pbkdf2.k
    }
    state {
      method = method.aes_gcm.m
    }
  }
}
)";

class CommandEncryptionTest : public ::testing::Test {
 protected:
  std::optional<CommandEncryption> read() { return access_.encryption(diags_); }

  cli::TestDirectory directory_;
  std::string printed_;
  cli::Input in_{std::string()};
  cli::Output out_{printed_};
  cli::Settings settings_{directory_.environment};
  diag::SourceMap sources_;
  cli::Terminal terminal_{in_, out_, out_, directory_.environment, sources_};
  cli::Cancellation cancellation_;
  ConfigurationOptions options_;
  StateAccess access_{{settings_, sources_, {}}, options_, terminal_, cancellation_};
  diag::Diagnostics diags_;
};

TEST_F(CommandEncryptionTest, NothingIsEncryptedWithoutABlock) {
  const auto encryption = read();
  ASSERT_TRUE(encryption);
  EXPECT_TRUE(encryption->state().get().is_plain());
  EXPECT_TRUE(encryption->plan().get().is_plain());
}

TEST_F(CommandEncryptionTest, EachKindOfFileHasItsOwnMethod) {
  cli::TestDirectory::write("main.tf", kBlock);
  const auto encryption = read();
  ASSERT_TRUE(encryption);
  EXPECT_FALSE(encryption->state().get().is_plain());
  EXPECT_TRUE(encryption->plan().get().is_plain());
  EXPECT_TRUE(encryption->remote_state("network").get().is_plain());
}

TEST_F(CommandEncryptionTest, IsReadOnceForACommand) {
  cli::TestDirectory::write("main.tf", kBlock);
  const auto first = read();
  cli::TestDirectory::write("main.tf", "");
  const auto second = read();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(&first->state().get(), &second->state().get());
}

TEST_F(CommandEncryptionTest, AnErrorLeavesNone) {
  cli::TestDirectory::write("main.tf", "terraform {\n  encryption {\n    nonsense {}\n  }\n}\n");
  EXPECT_FALSE(read());
  EXPECT_TRUE(diags_.has_errors());
}

TEST_F(CommandEncryptionTest, ANamedStateThatIsEncryptedNeedsItsKey) {
  cli::TestDirectory::write("main.tf", kBlock);
  const auto encryption = read();
  ASSERT_TRUE(encryption);
  const std::string text =
      R"({"version": 4, "serial": 1, "lineage": "l", "outputs": {}, "resources": []})";
  const auto stored = encryption->state().get().encrypt(text);
  ASSERT_TRUE(stored);
  EXPECT_TRUE(read_given_state(*stored, "a file", encryption->state(), diags_));
  EXPECT_FALSE(diags_.has_errors());
  EXPECT_FALSE(read_given_state(*stored, "a file", CommandEncryption::none().state(), diags_));
  EXPECT_TRUE(diags_.has_errors());
}

}  // namespace
}  // namespace tofu::workdir
