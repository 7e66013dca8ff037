#include "base/result.h"

#include <gtest/gtest.h>

namespace tofu::base {
namespace {

TEST(Result, ReadingTheValueOfAFailedOneIsABrokenPromise) {
  const Result<int> failed = Error{"no number"};

  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "no number");
  EXPECT_THROW(failed.value(), InternalError);
}

TEST(Result, ReadingTheErrorOfASuccessIsABrokenPromise) {
  const Result<int> good = 7;

  EXPECT_EQ(*good, 7);
  EXPECT_THROW(good.error(), InternalError);
}

TEST(Result, CanBeSuccessWithoutAValue) {
  const Result<void> good;
  const Result<void> failed = Error{"disk full"};

  EXPECT_TRUE(good);
  EXPECT_EQ(failed.error().what, "disk full");
}

}  // namespace
}  // namespace tofu::base
