#include "views/modules_text.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <vector>

namespace tofu::views {
namespace {

using ::testing::HasSubstr;
using Files = ModuleRow::Files;

std::vector<ModuleRow> some_rows() {
  return {
      {.address = "module.a",
       .key = "a",
       .source = "example/net/aws",
       .version = "1.2.3",
       .directory = ".terraform/modules/a",
       .hash = "h1:x",
       .files = Files::Shared,
       .read_only = true,
       .decided_by = "example/net/aws"},
      {.address = "module.网络",
       .key = "网络",
       .source = "git::https://example.com/x.git",
       .revision = "0123456789abcdef0123456789abcdef01234567",
       .directory = ".terraform/modules/网络",
       .files = Files::Own,
       .read_only = false,
       .decided_by = "the root module"},
      {.address = "module.b", .key = "b", .source = "./b", .directory = "b"},
  };
}

TEST(ModulesText, ColumnsAreAlignedAsATerminalShowsThem) {
  EXPECT_EQ(modules_table(some_rows()),
            "Call         Source                          Version       Files            Read-only"
            "  Decided by       Directory\n"
            "module.a     example/net/aws                 1.2.3         shared           yes      "
            "  example/net/aws  .terraform/modules/a\n"
            "module.网络  git::https://example.com/x.git  0123456789ab  own copy         no       "
            "  the root module  .terraform/modules/网络\n"
            "module.b     ./b                             -             with its caller  not said "
            "  -                b");
}

TEST(ModulesText, WhatComesFromOutsideCannotDriveTheTerminal) {
  ModuleRow row{.address = "module.a", .key = "a", .source = "x\x1b[31m\ny", .directory = "a"};
  const std::string table = modules_table({&row, 1});
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::ranges::count(table, '\n'), 1);
}

TEST(ModulesText, JsonSaysEverything) {
  EXPECT_EQ(modules_json({}), R"({"format_version":"1.0","modules":[]})");
  const std::vector<ModuleRow> rows = some_rows();
  EXPECT_EQ(
      modules_json(std::span(rows).first(1)),
      R"({"format_version":"1.0","modules":[{"address":"module.a","key":"a","source":"example/net/aws",)"
      R"("version":"1.2.3","directory":".terraform/modules/a","hash":"h1:x","files":"shared",)"
      R"("read_only":true,"decided_by":"example/net/aws"}]})");
  EXPECT_THAT(modules_json(rows),
              HasSubstr(R"("files":"caller","read_only":null,"decided_by":"")"));
  EXPECT_THAT(modules_json(rows),
              HasSubstr(R"("revision":"0123456789abcdef0123456789abcdef01234567")"));
}

}  // namespace
}  // namespace tofu::views
