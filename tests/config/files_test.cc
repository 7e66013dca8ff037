#include "config/files.h"

#include <gtest/gtest.h>

namespace tofu::config {
namespace {

std::vector<std::string> names_of(const std::vector<ModuleFile>& files) {
  std::vector<std::string> names;
  for (const ModuleFile& file : files) names.push_back(file.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(ModuleFiles, AreSortedByNameAndSplitByRole) {
  const Names names{"z.tf",         "a.tofu",    "b.tf.json", "override.tf", "x_override.tofu.json",
                    "t.tftest.hcl", "readme.md", "v.tfvars"};
  const ModuleFiles files = choose_module_files(names);
  EXPECT_EQ(names_of(files.primary), (Names{"a.tofu", "b.tf.json", "z.tf"}));
  EXPECT_EQ(names_of(files.overrides), (Names{"override.tf", "x_override.tofu.json"}));
  EXPECT_EQ(names_of(files.tests), Names{"t.tftest.hcl"});
  EXPECT_EQ(files.primary[1].syntax, FileSyntax::Json);
}

TEST(ModuleFiles, ATofuFileHidesTheTfFileOfTheSameNameAndSyntax) {
  const Names names{"a.tf",           "a.tofu",          "a.tf.json",
                    "o_override.tf",  "o_override.tofu", "t.tftest.hcl",
                    "t.tofutest.hcl", "u.tftest.json"};
  const ModuleFiles files = choose_module_files(names);
  EXPECT_EQ(names_of(files.primary), (Names{"a.tf.json", "a.tofu"}));
  EXPECT_EQ(names_of(files.overrides), Names{"o_override.tofu"});
  EXPECT_EQ(names_of(files.tests), (Names{"t.tofutest.hcl", "u.tftest.json"}));
}

TEST(ModuleFiles, HiddenAndBackupFilesDoNotCount) {
  const Names names{".a.tf", "b.tf~", "#c.tf#", "#d.tf"};
  EXPECT_EQ(names_of(choose_module_files(names).primary), Names{"#d.tf"});
}

TEST(ModuleFiles, TestFilesAloneMakeNoModule) {
  EXPECT_TRUE(choose_module_files(Names{"a.tftest.hcl"}).empty());
}

TEST(VariableFiles, AreReadInTheOrderInWhichLaterOnesWin) {
  const Names names{"b.auto.tfvars", "a.auto.tfvars.json", "terraform.tfvars.json",
                    "terraform.tfvars", "other.tfvars"};
  EXPECT_EQ(choose_variable_files(names), (Names{"terraform.tfvars", "terraform.tfvars.json",
                                                 "a.auto.tfvars.json", "b.auto.tfvars"}));
}

TEST(VariableFiles, ATofuvarsFileTakesThePlaceOfTheTfvarsFile) {
  const Names names{"terraform.tfvars", "terraform.tofuvars", "a.auto.tfvars", "a.auto.tofuvars"};
  EXPECT_EQ(choose_variable_files(names), (Names{"terraform.tofuvars", "a.auto.tofuvars"}));
}

}  // namespace
}  // namespace tofu::config
