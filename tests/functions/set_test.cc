#include <gtest/gtest.h>

#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(Set, ResultsAreThoseOfOpenTofu) {
  expect_same({
      {"setunion([\"b\"], [\"a\", \"b\"], [1])", "toset([\"1\", \"a\", \"b\"])"},
      {"setunion([], [1])", "toset([1])"},
      {"setintersection([1, 2, 3], [3, 2], [2])", "toset([2])"},
      {"setintersection([1, 2], [\"1\"])", "toset([\"1\"])"},
      {"setsubtract([1, 2, 3], [2])", "toset([1, 3])"},
      {"setproduct([\"a\", \"b\"], [1, 2])",
       "tolist([[\"a\", 1], [\"a\", 2], [\"b\", 1], [\"b\", 2]])"},
      {"setproduct(toset([\"b\", \"a\"]), [1])", "toset([[\"a\", 1], [\"b\", 1]])"},
      {"setproduct([\"a\", 1], [true])", "tolist([[\"a\", true], [\"1\", true]])"},
      {"length(setproduct([\"a\"], []))", "0"},
  });
}

TEST(Set, FaultsPointAtTheArgumentOrTheCall) {
  expect_faults({
      "«setunion(»[1], [{}])",
      "setunion(«5»)",
      "«setintersection(»[null], [[1], [2]])",
      "«setproduct(»[1])",
      "setproduct([1], «5»)",
      "setproduct([1], «[1, []]»)",
      "«setproduct(»range(1000), range(1000), range(1000))",
  });
}

TEST(Set, UnknownsAndMarksGoThrough) {
  expect_same({
      {"setintersection([\"a\"], [unk.string]) == null", "false"},
      {"length(setunion([\"a\"], [unk.string])) < 3", "true"},
      {"length(setproduct(assumelistlengthmax(unk.list, 2), [1, 2])) < 5", "true"},
      {"length(setproduct(assumesetlengthmax(unk.set, 5), []))", "0"},
      {"setproduct([], toset([unk.string, \"a\"])) == null", "false"},
      {"setintersection([unk.list], [null]) == null", "false"},
      {"setunion(secret.list, [\"a\"])", "sensitive(toset([\"a\", \"text\"]))"},
      {"setproduct(secret.list, [1])", "sensitive(tolist([[\"text\", 1]]))"},
  });
}

}  // namespace
}  // namespace tofu::functions
