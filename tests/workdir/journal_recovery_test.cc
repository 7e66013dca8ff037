#include "workdir/journal_recovery.h"

#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/failing_disk.h"

namespace tofu::workdir {
namespace {

TEST(SetJournalAside, EndsWhereNoNameCanBeLookedFor) {
  base::FailingDisk disk;
  disk.info_error = EIO;
  diag::Diagnostics diags;
  EXPECT_FALSE(set_journal_aside(disk, "a.journal", ".damaged", diags));
  ASSERT_EQ(diags.error_count(), 1u);
  EXPECT_THAT(diags.items()[0].detail, ::testing::HasSubstr("a.journal.damaged failed"));
}

}  // namespace
}  // namespace tofu::workdir
