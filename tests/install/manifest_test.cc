#include "install/manifest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"

namespace tofu::install {
namespace {

class ManifestTest : public ::testing::Test {
 protected:
  ManifestTest() {
    char pattern[] = "/tmp/manifest-XXXXXX";
    directory_ = ::mkdtemp(pattern);
  }
  ~ManifestTest() override { std::filesystem::remove_all(directory_); }
  std::string path() const { return directory_ + "/modules.json"; }

  std::string directory_;
};

TEST_F(ManifestTest, AnAbsentFileIsAnEmptyManifest) {
  const auto manifest = Manifest::read(path());

  ASSERT_TRUE(manifest.ok());
  EXPECT_TRUE(manifest->entries().empty());
}

TEST_F(ManifestTest, WhatIsWrittenIsReadBack) {
  Manifest manifest;
  manifest.set({}, {"", "", "."});
  manifest.set({{"a", "b"}}, {"./b", "1.2.3", "mods/b"});
  ASSERT_TRUE(base::write_file(path(), manifest.text()).ok());

  const auto read = Manifest::read(path());

  ASSERT_TRUE(read.ok());
  const ManifestEntry* entry = read->find({{"a", "b"}});
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->directory, "mods/b");
  EXPECT_EQ(entry->version, "1.2.3");
  EXPECT_EQ(read->find({{"a"}}), nullptr);
}

TEST_F(ManifestTest, TheFormIsTheOneOtherToolsRead) {
  Manifest manifest;
  manifest.set({}, {"", "", "."});
  manifest.set({{"a"}}, {"./a", "", "a"});
  ASSERT_TRUE(base::write_file(path(), manifest.text()).ok());

  std::ifstream file(path());
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(
      text,
      R"({"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"a","Source":"./a","Dir":"a"}]})");
}

TEST_F(ManifestTest, PasswordsInSourcesAreNoticed) {
  Manifest manifest;
  manifest.set({{"a"}}, {"git::ssh://git@example.com/a.git?ref=v1", "", "a"});
  manifest.set({{"b"}}, {"registry.opentofu.org/a/b/c", "1.0.0", "b"});
  manifest.set({{"c"}}, {"./c", "", "c"});
  EXPECT_FALSE(manifest.has_secrets());
  manifest.set({{"d"}}, {"git::https://me:secret@example.com/a.git//sub?ref=v1", "", "d"});
  EXPECT_TRUE(manifest.has_secrets());
}

TEST_F(ManifestTest, AFileWithNothingInItIsAnEmptyManifest) {
  for (const char* text : {"", "null", "{}", "{\"Modules\":null}", "{\"Modules\":[]}"}) {
    std::ofstream(path()) << text;
    const auto manifest = Manifest::read(path());
    ASSERT_TRUE(manifest.ok()) << text;
    EXPECT_TRUE(manifest->entries().empty()) << text;
  }
}

TEST_F(ManifestTest, ADamagedFileCanBeMadeAnew) {
  for (const char* text :
       {"{", "{\"Modules\":[{\"Key\":\"\"", "\n",
        R"({"Modules":[{"Key":"a","Source":"a/b/c","Version":"one","Dir":"a"}]})",
        R"({"Modules":[{"Key":"a","Source":"./a"}]})"}) {
    std::ofstream(path()) << text;
    const auto manifest = Manifest::read(path());
    ASSERT_FALSE(manifest.ok()) << text;
    EXPECT_TRUE(manifest.error().is_damaged) << text;
  }
}

TEST_F(ManifestTest, WhatSomebodyElseWroteThereIsAnError) {
  for (const char* text :
       {"[]", "{\"Modules\":1}", "{\"Modules\":[1]}", "{\"Modules\":[{\"Key\":1,\"Dir\":\"a\"}]}",
        R"({"Modules":[{"Key":"a","Dir":"a"},{"Key":"a","Dir":"b"}]})"}) {
    std::ofstream(path()) << text;
    const auto manifest = Manifest::read(path());
    ASSERT_FALSE(manifest.ok()) << text;
    EXPECT_FALSE(manifest.error().is_damaged) << text;
  }
}

}  // namespace
}  // namespace tofu::install
