#include "config/files.h"

#include <gtest/gtest.h>

namespace tofu::config {
namespace {

std::vector<std::string> names_of(const std::vector<ModuleFile>& files) {
  std::vector<std::string> names;
  for (const ModuleFile& file : files) names.push_back(file.name);
  return names;
}

using FileNames = std::vector<std::string>;

TEST(ModuleFiles, AreSortedByNameAndSplitByRole) {
  const FileNames names{
      "z.tf",         "a.tofu",    "b.tf.json", "override.tf", "x_override.tofu.json",
      "t.tftest.hcl", "readme.md", "v.tfvars"};
  const ModuleFiles files = choose_module_files(names);
  EXPECT_EQ(names_of(files.primary), (FileNames{"a.tofu", "b.tf.json", "z.tf"}));
  EXPECT_EQ(names_of(files.overrides), (FileNames{"override.tf", "x_override.tofu.json"}));
  EXPECT_EQ(names_of(files.tests), FileNames{"t.tftest.hcl"});
  EXPECT_EQ(files.primary[1].syntax, FileSyntax::Json);
}

TEST(ModuleFiles, ATofuFileHidesTheTfFileOfTheSameNameAndSyntax) {
  const FileNames names{"a.tf",           "a.tofu",          "a.tf.json",
                        "o_override.tf",  "o_override.tofu", "t.tftest.hcl",
                        "t.tofutest.hcl", "u.tftest.json"};
  const ModuleFiles files = choose_module_files(names);
  EXPECT_EQ(names_of(files.primary), (FileNames{"a.tf.json", "a.tofu"}));
  EXPECT_EQ(names_of(files.overrides), FileNames{"o_override.tofu"});
  EXPECT_EQ(names_of(files.tests), (FileNames{"t.tofutest.hcl", "u.tftest.json"}));
}

TEST(ModuleFiles, HiddenAndBackupFilesDoNotCount) {
  const FileNames names{".a.tf", "b.tf~", "#c.tf#", "#d.tf"};
  EXPECT_EQ(names_of(choose_module_files(names).primary), FileNames{"#d.tf"});
}

TEST(ModuleFiles, TestFilesAloneMakeNoModule) {
  EXPECT_TRUE(choose_module_files(FileNames{"a.tftest.hcl"}).empty());
}

TEST(VariableFiles, AreReadInTheOrderInWhichLaterOnesWin) {
  const FileNames names{"b.auto.tfvars", "a.auto.tfvars.json", "terraform.tfvars.json",
                        "terraform.tfvars", "other.tfvars"};
  EXPECT_EQ(choose_variable_files(names), (FileNames{"terraform.tfvars", "terraform.tfvars.json",
                                                     "a.auto.tfvars.json", "b.auto.tfvars"}));
}

TEST(VariableFiles, HaveNoFormOfTheirOwnForTofu) {
  const FileNames names{"terraform.tfvars", "terraform.tofuvars",      "a.auto.tfvars",
                        "a.auto.tofuvars",  "terraform.tofuvars.json", "b.auto.tofuvars.json"};
  EXPECT_EQ(choose_variable_files(names), (FileNames{"terraform.tfvars", "a.auto.tfvars"}));
}

}  // namespace
}  // namespace tofu::config
