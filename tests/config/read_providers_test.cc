// Provider blocks, requirements and the blocks about objects that moved, went away
// or come in. The places are those that OpenTofu reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/declared.h"

namespace tofu::config {
namespace {

using testing::ElementsAre;

TEST(ReadProvider, HasReservedArgumentsAndBlocks) {
  EXPECT_THAT(declare(R"(provider "AWS" {}
provider "a_b" {}
provider "aws" {
  alias = "1x"
}
provider "aws" {
  alias      = "b"
  version    = "bogus"
  count      = 1
  depends_on = []
  source     = "x"
  lifecycle {}
  _ {}
  _ {}
}
provider "aws" {
  for_each = {}
}
)")
                  .lines(),
              ElementsAre("1", "2", "8", "w8", "9", "10", "11", "12", "14", "17", "-"));
}

TEST(ReadRequiredProviders, ReportsEachWrongEntry) {
  EXPECT_THAT(declare(R"(terraform {
  required_providers {
    a = "1.0"
    b = "x"
    C = "1.0"
    d = { source = 1 }
    e = { version = 1 }
    f = { configuration_aliases = [f.x, g.x, f[0], f.a.b, 1] }
    h = [1]
    i = { foo = 1, bar = 2 }
    j = { (k) = 1 }
    K = {}
  }
}
required_providers {}
)")
                  .lines(),
              ElementsAre("4", "6", "7", "8", "8", "8", "9", "10", "11", "12", "15"));
}

TEST(ReadMoved, ConnectsTwoOfAKind) {
  EXPECT_THAT(declare(R"(moved {}
moved {
  from = a_b.c
  to   = module.d
}
moved {
  from = "a_b.c"
  to   = ephemeral.a_b.c
}
moved {
  from  = module.x[0]
  to    = module.y
  bogus = 1
}
)")
                  .lines(),
              ElementsAre("1", "1", "1", "1", "2", "6", "6", "7", "13"));
}

TEST(ReadRemoved, SaysWhatBecomesOfTheObject) {
  EXPECT_THAT(declare(R"(removed {}
removed {
  from = a_b.c[0]
}
removed {
  from = a_b.c
}
removed {
  from = module.x
  lifecycle {
    destroy = "x"
  }
  lifecycle {}
  provisioner "local-exec" {
    when = destroy
  }
}
removed {
  from = a_b.d
  lifecycle {
    destroy = false
  }
  provisioner "local-exec" {
    when = destroy
  }
}
removed {
  from = a_b.e
  lifecycle {
    destroy = true
  }
  provisioner "local-exec" {}
}
)")
                  .lines(),
              ElementsAre("1", "3", "w5", "8", "11", "13", "w18", "32"));
}

TEST(ReadImport, HasATargetAndOneIdentity) {
  EXPECT_THAT(declare(R"(import {}
import {
  to = a_b.c
  id = "x"
}
import {
  to       = a_b.c
  id       = "x"
  identity = {}
}
import {
  to = a_b.c
}
import {
  to = foo()
  id = "x"
}
import {
  to = module.x[var.y].a_b.c[var.z].d
  id = "x"
}
import {
  to       = module.x[var.y].a_b.c[var.z]
  id       = "x"
  provider = aws
}
import {
  to = module.x
  id = "x"
}
)")
                  .lines(),
              ElementsAre("1", "1", "6", "8", "11", "11", "11", "15", "19", "25", "28"));
}

TEST(ReadImport, ManyOfOneTargetDoNotMakeErrorsWithoutEnd) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "import {\n  to = a_b.c\n  id = \"x\"\n}\n";
  EXPECT_LT(declare(text).diags.size(), 10'000u);
}

}  // namespace
}  // namespace tofu::config
