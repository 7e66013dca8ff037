#include "config/package_metadata.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

namespace tofu::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PackageMetadataTest : public ::testing::Test {
 protected:
  const PackageMetadata& declare(std::string text, bool json = false) {
    const diag::FileId id = sources_.add("meta", std::move(text));
    diags_.clear();
    file_ = json ? syntax::parse_json_file(sources_, id, diags_)
                 : syntax::parse_file(sources_, id, diags_);
    metadata_ = declare_package(
        *file_,
        [](const std::string& path) {
          if (path == "missing") return PathInPackage::Missing;
          if (path == "file.tf") return PathInPackage::NotADirectory;
          if (path == "out") return PathInPackage::Outside;
          return PathInPackage::Directory;
        },
        diags_);
    return metadata_;
  }

  // "2 Summary" with the text that is pointed at, for each diagnostic.
  std::vector<std::string> problems() const {
    std::vector<std::string> shown;
    for (const diag::Diagnostic& each : diags_.items()) {
      const diag::SourceRange at = each.subject.value_or(diag::SourceRange{});
      shown.push_back(fmt::format("{} {}: {}", sources_.position(at.file, at.begin).line,
                                  sources_.text(at), each.summary));
    }
    return shown;
  }

  diag::SourceMap sources_;
  diag::Diagnostics diags_;
  std::unique_ptr<syntax::File> file_;
  PackageMetadata metadata_;
};

TEST_F(PackageMetadataTest, AnEmptyFileSaysNothingAboutModules) {
  EXPECT_THAT(declare("# nothing\n").modules, IsEmpty());
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_EQ(metadata_.find("."), nullptr);
}

void expect_whole(const PackageMetadata& metadata) {
  EXPECT_EQ(metadata.description, "all of it");
  ASSERT_EQ(metadata.modules.size(), 2u);
  const PackageModule* module = metadata.find("modules/mymod");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->name, "mymod");
  EXPECT_EQ(module->description, "some");
  EXPECT_FALSE(module->self_read_only);
  EXPECT_TRUE(module->dependencies_read_only);
  EXPECT_EQ(module->instances, Instances::Single);
  const PackageModule* top = metadata.find(".");
  ASSERT_NE(top, nullptr);
  EXPECT_TRUE(top->self_read_only);
  EXPECT_FALSE(top->dependencies_read_only);
  EXPECT_EQ(top->instances, Instances::Many);
}

TEST_F(PackageMetadataTest, EverythingThatCanBeSaidIsRead) {
  expect_whole(
      declare("package {\n  description = \"all of it\"\n}\n"
              "module \"mymod\" {\n  path        = \"./modules/./mymod/\"\n"
              "  description = \"some\"\n  read-only   = { self = 1 == 2 }\n"
              "  instances   = \"single\"\n}\n"
              "module \"main\" {\n  path = \".\"\n"
              "  read-only = { dependencies = false }\n  instances = \"many\"\n}\n"));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(PackageMetadataTest, JsonSaysTheSameAsNativeSyntax) {
  expect_whole(declare(
      R"({"package": {"description": "all of it"},
          "module": {"mymod": {"path": "modules/mymod", "description": "some",
                               "read-only": {"self": false, "dependencies": true},
                               "instances": "single"},
                     "main": {"path": ".", "read-only": {"dependencies": false}}}})",
      true));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(PackageMetadataTest, MistakesInJsonAreReportedToo) {
  declare(R"({"module": {"m": {
      "path": "/etc",
      "read_only": true,
      "read-only": {"seff": true}
      }}, "other": {}})",
          true);
  EXPECT_THAT(problems(), ::testing::UnorderedElementsAre(
                              "2 \"/etc\": Invalid module path", HasSubstr("3 "),
                              "4 \"seff\": Unsupported attribute", HasSubstr("5 ")));
}

struct Mistake {
  const char* name;
  const char* text;
  const char* problem;
};

class PackageMistake : public PackageMetadataTest, public ::testing::WithParamInterface<Mistake> {};

TEST_P(PackageMistake, IsReportedAtItsPlace) {
  declare(GetParam().text);
  EXPECT_THAT(problems(), ElementsAre(HasSubstr(GetParam().problem)));
}

constexpr Mistake kMistakes[] = {
    {"UnknownBlock", "modul \"m\" {\n}\n", "1 modul: Unsupported block type"},
    {"UnknownTopArgument", "a = 1\n", "1 a: Unsupported argument"},
    {"UnknownPackageArgument", "package {\n  name = 1\n}\n", "2 name: Unsupported argument"},
    {"UnknownModuleArgument", "module \"m\" {\n  path = \".\"\n  read_only = {}\n}\n",
     "3 read_only: Unsupported argument"},
    {"UnknownReadOnlyAttribute",
     "module \"m\" {\n  path = \".\"\n  read-only = { sel = true }\n}\n",
     "3 sel: Unsupported attribute"},
    {"NoLabel", "module {\n  path = \".\"\n}\n", "1 "},
    {"NoPath", "module \"m\" {\n}\n", "1 "},
    {"TwoPackages", "package {\n}\npackage {\n}\n", "3 package: Duplicate package block"},
    {"PathIsNoText", "module \"m\" {\n  path = []\n}\n", "2 [: Unsuitable value type"},
    {"PathIsNull", "module \"m\" {\n  path = null\n}\n", "2 null: Unsuitable value type"},
    {"PathUsesAName", "module \"m\" {\n  path = var.p\n}\n", "2 var"},
    {"PathUsesAFunction", "module \"m\" {\n  path = lower(\"A\")\n}\n", "2 lower"},
    {"PathIsEmpty", "module \"m\" {\n  path = \"\"\n}\n", "2 \"\": Invalid module path"},
    {"PathHasANul", "module \"m\" {\n  path = \"a\\u0000b\"\n}\n",
     "2 \"a\\u0000b\": Invalid module path"},
    {"PathIsAbsolute", "module \"m\" {\n  path = \"/a\"\n}\n", "2 \"/a\": Invalid module path"},
    {"PathLeaves", "module \"m\" {\n  path = \"a/../../b\"\n}\n",
     "2 \"a/../../b\": Invalid module path"},
    {"PathLeavesByLink", "module \"m\" {\n  path = \"./out\"\n}\n",
     "2 \"./out\": Invalid module path"},
    {"PathIsMissing", "module \"m\" {\n  path = \"missing/\"\n}\n",
     "2 \"missing/\": Invalid module path"},
    {"PathIsAFile", "module \"m\" {\n  path = \"file.tf\"\n}\n",
     "2 \"file.tf\": Invalid module path"},
    {"ReadOnlyIsNoObject", "module \"m\" {\n  path = \".\"\n  read-only = true\n}\n",
     "3 true: Invalid value"},
    {"ReadOnlySelfIsNoTruth", "module \"m\" {\n  path = \".\"\n  read-only = { self = 1 }\n}\n",
     "3 1: Unsuitable value type"},
    {"ReadOnlyUsesAName", "module \"m\" {\n  path = \".\"\n  read-only = { self = var.x }\n}\n",
     "3 var"},
    {"InstancesIsOther", "module \"m\" {\n  path = \".\"\n  instances = \"one\"\n}\n",
     "3 \"one\": Invalid value"},
    {"OnePathTwice", "module \"a\" {\n  path = \"./x\"\n}\nmodule \"b\" {\n  path = \"x/\"\n}\n",
     "5 \"x/\": Duplicate module directory"},
    {"OneLabelTwice", "module \"a\" {\n  path = \"x\"\n}\nmodule \"a\" {\n  path = \"y\"\n}\n",
     "4 \"a\": Duplicate module block"},
};

INSTANTIATE_TEST_SUITE_P(All, PackageMistake, ::testing::ValuesIn(kMistakes),
                         [](const auto& error) { return std::string(error.param.name); });

TEST_F(PackageMetadataTest, NearNamesAreSuggested) {
  declare("module \"m\" {\n  path = \".\"\n  read_only = {}\n}\n");
  EXPECT_THAT(diags_.items()[0].detail, HasSubstr("Did you mean \"read-only\"?"));
  declare("module \"m\" {\n  path = \".\"\n  read-only = { slef = true }\n}\n");
  EXPECT_THAT(diags_.items()[0].detail, HasSubstr("Did you mean \"self\"?"));
}

TEST_F(PackageMetadataTest, WhatIsRightIsKeptBesideMistakes) {
  const PackageMetadata& metadata = declare(
      "module \"a\" {\n  path = \"missing\"\n}\nmodule \"b\" {\n  path = \"b\"\n  x = 1\n}\n");
  ASSERT_EQ(metadata.modules.size(), 1u);
  EXPECT_EQ(metadata.modules[0].name, "b");
  EXPECT_EQ(diags_.error_count(), 2u);
}

}  // namespace
}  // namespace tofu::config
