#include "cloud/packing.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <stop_token>

#include "archive/archive.h"

namespace tofu::cloud {
namespace {

namespace fs = std::filesystem;

class Packing : public testing::Test {
 protected:
  Packing() {
    std::string name = (fs::temp_directory_path() / "tofu-packing-XXXXXX").string();
    top_ = ::mkdtemp(name.data());
    here_ = top_ / "here";
    fs::create_directories(here_);
  }
  ~Packing() override { fs::remove_all(top_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((here_ / path).parent_path());
    std::ofstream(here_ / path) << text;
  }
  // Packs the directory and unpacks it elsewhere.
  fs::path unpacked() const {
    const auto packed = pack_directory(here_.string());
    EXPECT_TRUE(packed.ok()) << (packed ? "" : packed.error().what);
    std::ofstream(top_ / "archive.tar.gz", std::ios::binary) << packed->bytes;
    const auto done =
        archive::unpack_archive((top_ / "archive.tar.gz").string(), archive::ArchiveKind::TarGzip,
                                (top_ / "there").string(), {}, std::stop_token());
    EXPECT_TRUE(done.ok()) << (done ? "" : done.error().what);
    return top_ / "there";
  }
  static std::string text_of(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }

  fs::path top_;
  fs::path here_;
};

TEST_F(Packing, FilesArriveAsTheyAre) {
  write("main.tf", "# one\n");
  write("sub/deep/other.tf", "# two\n");
  write(std::string(120, 'n') + "/" + std::string(120, 'm'), "long");
  fs::permissions(here_ / "main.tf", fs::perms::owner_all);
  const fs::path there = unpacked();
  EXPECT_EQ(text_of(there / "main.tf"), "# one\n");
  EXPECT_EQ(text_of(there / "sub/deep/other.tf"), "# two\n");
  EXPECT_EQ(text_of(there / std::string(120, 'n') / std::string(120, 'm')), "long");
  EXPECT_NE(fs::status(there / "main.tf").permissions() & fs::perms::owner_exec, fs::perms::none);
}

TEST_F(Packing, WhatIsIgnoredStaysHere) {
  write("main.tf", "");
  write("secret.txt", "");
  write(".terraformignore", "*.txt\n");
  write(".terraform/providers/p", "");
  write(".terraform/modules/modules.json", "{}");
  write(".git/config", "");
  const fs::path there = unpacked();
  EXPECT_TRUE(fs::exists(there / "main.tf"));
  EXPECT_FALSE(fs::exists(there / "secret.txt"));
  EXPECT_FALSE(fs::exists(there / ".terraform/providers"));
  EXPECT_TRUE(fs::exists(there / ".terraform/modules/modules.json"));
  EXPECT_FALSE(fs::exists(there / ".git"));
}

TEST_F(Packing, APackageThatModulesShareIsSentOnce) {
  write(".terraform/packages/p/main.tf", "# shared\n");
  fs::create_directories(here_ / ".terraform/modules");
  fs::create_directory_symlink("../packages/p", here_ / ".terraform/modules/a");
  fs::create_directory_symlink(here_ / ".terraform/packages/p", here_ / ".terraform/modules/b");
  const auto packed = pack_directory(here_.string());
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(packed->files, 1U);
  const fs::path there = unpacked();
  EXPECT_EQ(text_of(there / ".terraform/modules/a/main.tf"), "# shared\n");
  EXPECT_EQ(text_of(there / ".terraform/modules/b/main.tf"), "# shared\n");
  EXPECT_EQ(fs::read_symlink(there / ".terraform/modules/b"), "../packages/p");
}

TEST_F(Packing, WhatALinkOutsideLeadsToIsSentInItsPlace) {
  fs::create_directories(top_ / "outside/sub");
  std::ofstream(top_ / "outside/sub/file.tf") << "# outside\n";
  fs::create_directory_symlink("../outside", here_ / "directory");
  fs::create_symlink(top_ / "outside/sub/file.tf", here_ / "file.tf");
  const fs::path there = unpacked();
  EXPECT_EQ(text_of(there / "directory/sub/file.tf"), "# outside\n");
  EXPECT_FALSE(fs::is_symlink(there / "file.tf"));
  EXPECT_EQ(text_of(there / "file.tf"), "# outside\n");
}

TEST_F(Packing, ALinkThatLeadsNowhereOutsideIsAnError) {
  fs::create_symlink("../nothing", here_ / "broken");
  const auto packed = pack_directory(here_.string());
  ASSERT_FALSE(packed.ok());
  EXPECT_NE(packed.error().what.find("broken"), std::string::npos);
}

TEST_F(Packing, NothingIsAnArchiveToo) {
  EXPECT_FALSE(pack_nothing("some/where")->bytes.empty());
  EXPECT_FALSE(pack_nothing("")->bytes.empty());
}

}  // namespace
}  // namespace tofu::cloud
