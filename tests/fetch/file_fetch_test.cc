#include "fetch/file_fetch.h"

#include "tests/archive/archive_bytes.h"
#include "tests/fetch/fetch_fixture.h"

namespace tofu::fetch {
namespace {

using FileFetch = FetchFixture;

TEST_F(FileFetch, ADirectoryIsCopied) {
  write("my modules/main.tf", "main");
  write("my modules/.terraform/providers/large", "large");
  write("my modules/run.sh", "run", 0755);
  link("my modules/link", "main.tf");
  ASSERT_EQ(fetch("file://" + at("my modules")), "");
  EXPECT_EQ(read("out/link"), "main");
  EXPECT_EQ(mode("out/run.sh") & 0100, 0100u);
  EXPECT_FALSE(exists("out/.terraform"));
  write("my modules/main.tf", "changed");
  EXPECT_EQ(read("out/main.tf"), "main");
  ASSERT_EQ(fetch("file://" + top_ + "/my%20modules"), "");
}

TEST_F(FileFetch, AnArchiveIsUnpacked) {
  write("m.zip", archive::Zip().add("main.tf", "zipped").finish());
  write("plain", archive::gzip(archive::tar({{"main.tf", '0', {}, "tarred"}})));
  ASSERT_EQ(fetch("file://" + at("m.zip")), "");
  EXPECT_EQ(read("out/main.tf"), "zipped");
  EXPECT_TRUE(package_.archive_hash.starts_with("zh:"));
  ASSERT_EQ(fetch("file://" + at("plain?archive=tar.gz")), "");
  EXPECT_EQ(read("out/main.tf"), "tarred");
  EXPECT_EQ(read("m.zip"), archive::Zip().add("main.tf", "zipped").finish());
  write("dir.zip/main.tf", "a directory all the same");
  EXPECT_EQ(fetch("file://" + at("dir.zip")), "");
}

TEST_F(FileFetch, WhatCannotBeAPackageIsRefused) {
  write("file.txt", "text");
  write("dir/main.tf", "main");
  EXPECT_TRUE(refuses("file://" + at("missing"), "the directory does not exist"));
  EXPECT_TRUE(refuses("file://" + at("file.txt"), "neither a directory nor a supported archive"));
  EXPECT_TRUE(refuses("file://" + at("dir?checksum=00"), "no checksum"));
  EXPECT_TRUE(refuses("file://" + at("dir"), "must not refer to local files", true));
  link("dir/out", "../file.txt");
  EXPECT_TRUE(refuses("file://" + at("dir"), "leads out of the package"));
  EXPECT_TRUE(refuses("gopher://example.com/x", "cannot be fetched"));
}

}  // namespace
}  // namespace tofu::fetch
