// Resources of all modes, their provisioners and checks, with what can be wrong in
// them. The places are those that OpenTofu reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/declared.h"

namespace tofu::config {
namespace {

using testing::ElementsAre;

TEST(ReadResource, ReportsEveryMetaArgumentThatIsWrong) {
  EXPECT_THAT(declare(R"(resource "1x" "a b" {
}
resource "a_b" "c" {
  count      = 1
  for_each   = {}
  provider   = "aws"
  depends_on = ["a_b.d", a_b.e[*], 1 + 1, "a b"]
  lifecycle {
    create_before_destroy = maybe
    ignore_changes        = ["*"]
    bogus                 = 1
    precondition {
      condition     = a_b.c.x
      error_message = a_b.c
    }
    postcondition {
      condition = true
    }
  }
  lifecycle {}
  connection {}
  connection {}
  locals {}
  _ {}
  _ {}
}
)")
                  .lines(),
              ElementsAre("1", "1", "4", "w6", "7", "7", "7", "w7", "w7", "9", "10", "11", "13",
                          "14", "16", "17", "20", "22", "23", "25"));
}

TEST(ReadResource, TriggersAreReferencesToOneResource) {
  EXPECT_THAT(declare(R"(resource "a_b" "c" {
  lifecycle {
    replace_triggered_by = [
      a_b.x.y,
      a_b.x[count.index].y,
      1,
      var.x,
      a_b.x[each.value],
      "${a_b.x}",
      a_b[a_c.d],
    ]
  }
}
)")
                  .lines(),
              ElementsAre("6", "7", "7", "8", "10"));
}

TEST(ReadResource, ProviderReferencesHaveANameAnAliasAndAKey) {
  EXPECT_THAT(declare(R"(resource "a_b" "a" {
  provider = aws.foo.bar
}
resource "a_b" "b" {
  provider = aws[0]
}
resource "a_b" "c" {
  provider = aws.x["k"].y
}
resource "a_b" "d" {
  provider = AWS
}
resource "a_b" "e" {
  provider = aws[each.key]
}
resource "a_b" "f" {
  provider = aws.x[each.key]
}
resource "a_b" "g" {
  provider = aws.x["k"]
}
)")
                  .lines(),
              ElementsAre("2", "5", "8", "11", "14"));
}

TEST(ReadResource, QuotesWithoutANameInThemAreRefusedTwice) {
  EXPECT_THAT(declare(R"(resource "a_b" "a" {
  provider = "./m"
}
resource "a_b" "b" {
  depends_on = ["*", "a_b.", " c.d"]
}
resource "a_b" "c" {
  lifecycle {
    ignore_changes = ["", "x"]
  }
}
)")
                  .lines(),
              ElementsAre("2", "2", "w2", "5", "5", "5", "w5", "w5", "w5", "9", "9", "w9", "w9"));
}

TEST(ReadResource, IgnoreChangesIsAllOrAListOfAttributes) {
  EXPECT_THAT(declare(R"(resource "a_b" "a" {
  lifecycle {
    ignore_changes = ["*", a]
  }
}
resource "a_b" "b" {
  lifecycle {
    ignore_changes = a
  }
}
resource "a_b" "c" {
  lifecycle {
    ignore_changes = [a, "b", c[0], 1]
  }
}
resource "a_b" "d" {
  lifecycle {
    ignore_changes = all
  }
}
)")
                  .lines(),
              ElementsAre("3", "3", "8", "13", "w13"));
}

TEST(ReadProvisioner, AtDestroyTimeSeesOnlyItsOwnObject) {
  EXPECT_THAT(declare(R"(resource "a_b" "c" {
  connection {
    host = var.x
  }
  provisioner "chef" {}
  provisioner "local-exec" {
    when       = "destroy"
    on_failure = "continue"
    command    = "${var.x} ${self.id} ${each.key} ${each.value} ${count.index} ${path.module}"
    connection {
      host = a_b.d.x
    }
    connection {}
    lifecycle {}
    _ {}
    _ {}
  }
  provisioner "local-exec" {
    when       = sometimes
    on_failure = 1
  }
}
)")
                  .lines(),
              ElementsAre("3", "5", "w7", "w8", "9", "9", "11", "13", "14", "16", "19", "20"));
}

TEST(ReadData, HasFewerLifecycleArguments) {
  EXPECT_THAT(declare(R"(data "a b" "c d" {}
data "a_b" "e" {
  count    = 1
  for_each = {}
  lifecycle {
    create_before_destroy = true
    ignore_changes        = all
    enabled               = true
    postcondition {
      condition     = self.x
      error_message = "x"
    }
  }
  lifecycle {}
  locals {}
  connection {}
}
)")
                  .lines(),
              ElementsAre("1", "1", "3", "6", "7", "14", "15"));
}

TEST(ReadEphemeral, HasNothingThatOutlivesARun) {
  EXPECT_THAT(declare(R"(ephemeral "a b" "c d" {}
ephemeral "a_b" "e" {
  lifecycle {
    create_before_destroy = true
    destroy               = false
    enabled               = true
  }
  locals {}
  connection {}
  provisioner "x" {}
}
)")
                  .lines(),
              ElementsAre("1", "1", "3", "3", "8", "9", "10"));
}

TEST(ReadCheck, HasOneDataSourceAndAssertions) {
  EXPECT_THAT(declare(R"(check "a b" {
}
check "c" {
  data "x_y" "z" {
    count    = 1
    for_each = {}
    lifecycle {}
  }
  data "x_y" "z2" {}
  data "x_y" "z3" {}
  assert {
    condition     = var.x
    error_message = "x"
  }
  assert {
    condition     = true
    error_message = "x"
  }
  bogus = 1
}
)")
                  .lines(),
              ElementsAre("1", "1", "5", "6", "7", "10", "16", "19"));
}

TEST(ReadJson, MeansTheSame) {
  const Declared result = declare({{"main.tf.json", R"json({
  "variable": {
    "a": {"type": "list(string)", "default": ["${x}"], "description": "${foo}"},
    "b": {"type": "bogus"},
    "c": [{"type": "string"}, {}],
    "d": 5
  },
  "output": {"o": {"value": "${1", "depends_on": ["a_b.c", "x y", 5]}},
  "resource": {
    "a_b": {
      "c": {
        "provider": "aws.x",
        "depends_on": "a_b.d",
        "lifecycle": {"ignore_changes": ["a", "b.c", "*"],
                      "replace_triggered_by": ["a_b.d", "a_b.d[each.value]", "+", 5]},
        "count": 1,
        "for_each": {}
      },
      "d": {"provider": 5, "lifecycle": {"ignore_changes": "all", "prevent_destroy": true}},
      "e": {"provider": "aws.x[each.key]"},
      "f": {"provider": "aws +"}
    }
  },
  "import": [{"to": "a_b.c[each.key]", "id": "x"}, {"to": "+", "id": "x"}, {"to": 5, "id": "y"}],
  "moved": {"from": "a_b.x", "to": "a_b.y"},
  "module": {"m": {"source": "./x", "providers": {"aws": "aws.x", "Aws": "aws"}}},
  "locals": {"x": 1, "x": 2},
  "bogus": {},
  "//": "comment"
}
)json"}});
  EXPECT_THAT(result.lines(), ElementsAre("4", "5", "6", "8", "8", "13", "14", "14", "15", "15",
                                          "15", "16", "19", "21", "24", "24", "26", "27", "28"));
}

TEST(ReadJson, WhatIsNoObjectIsToldWheneverItIsLookedAt) {
  const Declared result = declare({{"main.tf.json", "{\n\"removed\": [\n\"a\"]\n}\n"}});
  EXPECT_THAT(result.lines(), ElementsAre("3", "3", "3"));  // wrong, without `from`, wrong
}

}  // namespace
}  // namespace tofu::config
