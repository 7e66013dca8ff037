#include "base/task.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "base/check.h"

namespace tofu::base {
namespace {

TEST(Task, WhatAThreadBreaksIsThrownWhereItIsAskedFor) {
  Task task;
  std::jthread([&] { task.run([] { broken_promise("it holds"); }); }).join();
  EXPECT_THROW(task.check(), InternalError);
}

TEST(Task, OfSeveralBrokenPromisesTheFirstIsThrownOnce) {
  Task task;
  task.run([] { broken_promise("one"); });
  task.run([] { broken_promise("two"); });
  try {
    task.check();
    FAIL() << "nothing was thrown";
  } catch (const InternalError& broken) {
    EXPECT_NE(std::string_view(broken.what()).find("one"), std::string_view::npos);
  }
  EXPECT_NO_THROW(task.check());
}

TEST(Task, WorkThatGoesWellLeavesNothing) {
  Task task;
  int done = 0;
  task.run([&] { ++done; });
  EXPECT_NO_THROW(task.check());
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace tofu::base
