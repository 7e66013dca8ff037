#include "backends/bucket.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

namespace tofu::backends {
namespace {

using fetch::ObjectPage;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(BucketStates, AWorkspaceIsBetweenThePrefixAndTheKey) {
  const BucketStates below{"env:", "deep/state"};
  EXPECT_EQ(below.workspace_of("env:/dev/deep/state"), "dev");
  EXPECT_EQ(below.workspace_of("env:/dev/deep/state.tflock"), "");
  EXPECT_EQ(below.workspace_of("env:/deep/state"), "");
  EXPECT_EQ(below.workspace_of("other/dev/deep/state"), "");
  const BucketStates top{"", "state"};
  EXPECT_EQ(top.workspace_of("dev/state"), "dev");
  EXPECT_EQ(top.workspace_of("state"), "");
}

TEST(BucketStates, PagesAreReadToTheLast) {
  const auto names =
      list_workspaces({"p", "k"}, [](const std::string& next) -> base::Result<ObjectPage> {
        if (next.empty()) return ObjectPage{{"p/a/k", "p/a/other"}, "more"};
        return ObjectPage{{"p/b/k"}, ""};
      });
  ASSERT_TRUE(names);
  EXPECT_THAT(*names, ElementsAre("a", "b"));
}

TEST(BucketStates, AListWithoutEndIsRefused) {
  const auto names = list_workspaces({"", "k"}, [](const std::string&) -> base::Result<ObjectPage> {
    return ObjectPage{{"a/k"}, "again"};
  });
  ASSERT_FALSE(names);
  EXPECT_THAT(names.error().what, HasSubstr("too many pages"));
}

TEST(BucketStates, APageWithoutAMarkerGoesOnBehindItsLastName) {
  const std::string_view list =
      "<ListBucketResult><IsTruncated>true</IsTruncated>"
      "<Contents><Key>a/k</Key></Contents><Contents><Key>b/k</Key></Contents></ListBucketResult>";
  const auto page = fetch::read_marked_page(list);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->next, "b/k");
  EXPECT_FALSE(fetch::read_s3_page(list)) << "there it has to be said";
  EXPECT_FALSE(fetch::read_marked_page(
      "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"));
}

// A store that loses the answers to some requests; what it was asked for may be done or not.
struct LossyLock {
  std::optional<std::string> holder = "mine";
  int requests = 0;
  std::function<bool(LossyLock&)> removes;  // false: the answer is lost

  base::Result<void> unlock() {
    return remove_lock(
        {"key", [this]() -> base::Result<std::optional<std::string>> { return holder; },
         [this]() -> base::Result<void> {
           ++requests;
           if (removes(*this)) return {};
           return base::Error{"no answer"};
         }},
        "mine");
  }
};

TEST(LockObject, IsNotRemovedAgainWhenItIsSomebodyElses) {
  LossyLock lock;
  lock.removes = [](LossyLock& store) {
    store.holder = "theirs";  // removed, and taken by the next, before the answer was lost
    return false;
  };
  EXPECT_TRUE(lock.unlock());
  EXPECT_EQ(lock.requests, 1);
  EXPECT_EQ(lock.holder, "theirs");
}

TEST(LockObject, IsRemovedAgainWhileItHasTheLock) {
  LossyLock lock;
  lock.removes = [](LossyLock& store) {
    if (store.requests < 3) return false;
    store.holder.reset();
    return true;
  };
  EXPECT_TRUE(lock.unlock());
  EXPECT_EQ(lock.requests, 3);
}

TEST(LockObject, OfSomebodyElseIsLeftAlone) {
  LossyLock lock;
  lock.holder = "theirs";
  EXPECT_FALSE(lock.unlock());
  lock.holder.reset();
  EXPECT_FALSE(lock.unlock());
  EXPECT_EQ(lock.requests, 0);
}

}  // namespace
}  // namespace tofu::backends
