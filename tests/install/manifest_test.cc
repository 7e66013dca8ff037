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

TEST_F(ManifestTest, BrokenFilesAreErrors) {
  for (const char* text : {"", "{", "[]", "{\"Modules\":1}", "{\"Modules\":[1]}"}) {
    std::ofstream(path()) << text;
    EXPECT_FALSE(Manifest::read(path()).ok()) << text;
  }
}

}  // namespace
}  // namespace tofu::install
