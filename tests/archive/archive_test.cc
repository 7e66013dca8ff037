#include "archive/archive.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "tests/archive/archive_bytes.h"
#include "tests/archive/tree_fixture.h"

namespace tofu::archive {
namespace {

class ArchiveTest : public TreeFixture {
 protected:
  // "" on success.
  std::string unpack(std::string_view bytes, ArchiveKind kind) {
    std::filesystem::remove_all(at("out"));
    write("archive", bytes);
    const auto unpacked =
        unpack_archive(at("archive"), kind, at("out"), limits_, stop_.get_token());
    return unpacked ? "" : unpacked.error().what;
  }

  FetchLimits limits_;
  std::stop_source stop_;
};

const std::vector<TarEntry> kSmall = {
    {"./", '5'},
    {"./main.tf", '0', {}, "# main\n"},
    {"./run.sh", '0', {}, "#!/bin/sh\n", 04755},
    {"./sub/dir/", '5'},
    {"./sub/dir/empty", '0'},
    {"no/entry/for/its/directory.tf", '0', {}, "x"},
    {"sub/link.tf", '2', "../main.tf"},
    {"main_again.tf", '1', "./main.tf"},
};

TEST_F(ArchiveTest, EveryKindOfTarIsUnpacked) {
  const std::string plain = tar(kSmall);
  const struct {
    ArchiveKind kind;
    std::string bytes;
  } rows[] = {
      {ArchiveKind::Tar, plain},
      {ArchiveKind::TarGzip, gzip(plain)},
      {ArchiveKind::TarBzip2, bzip2(plain)},
      {ArchiveKind::TarXz, xz(plain)},
  };
  for (const auto& row : rows) {
    ASSERT_EQ(unpack(row.bytes, row.kind), "");
    EXPECT_EQ(read("out/main.tf"), "# main\n");
    EXPECT_EQ(read("out/main_again.tf"), "# main\n");
    EXPECT_EQ(read("out/sub/link.tf"), "# main\n");
    EXPECT_EQ(read("out/no/entry/for/its/directory.tf"), "x");
    EXPECT_TRUE(exists("out/sub/dir/empty"));
    EXPECT_EQ(std::filesystem::read_symlink(at("out/sub/link.tf")), "../main.tf");
  }
}

TEST_F(ArchiveTest, ZipsAreUnpacked) {
  Zip zip;
  zip.add("main.tf", "# main\n").add("sub/", "", 040755).add("sub/run.sh", "run", 0100755, true);
  zip.add("a/b/c.tf", std::string(100'000, 'c'), 0100644, true);
  zip.add("link", "a/b", 0120777).add("grüße/straße.tf", "ß");
  ASSERT_EQ(unpack(zip.finish(), ArchiveKind::Zip), "");
  EXPECT_EQ(read("out/main.tf"), "# main\n");
  EXPECT_EQ(read("out/link/c.tf"), std::string(100'000, 'c'));
  EXPECT_EQ(read("out/grüße/straße.tf"), "ß");
  EXPECT_EQ(mode("out/sub/run.sh") & 0100, 0100u);
  EXPECT_EQ(mode("out/main.tf") & 0111, 0u);
}

TEST_F(ArchiveTest, OfPermissionsOnlyExecutableIsKept) {
  ASSERT_EQ(unpack(tar({{"a", '0', {}, "", 06777}, {"b", '0', {}, "", 0000}}), ArchiveKind::Tar),
            "");
  struct stat about {};
  ASSERT_EQ(::lstat(at("out/a").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07000, 0u);
  EXPECT_NE(about.st_mode & 0100, 0u);
  EXPECT_NE(about.st_mode & 0022, 0022u);
  EXPECT_EQ(mode("out/b") & 0500, 0400u);
}

TEST_F(ArchiveTest, LongAndForeignNamesAreKept) {
  const std::string longer = std::string(90, 'd') + "/" + std::string(200, 'f') + "ü";
  std::string bytes = pax({{"path", longer}}) + tar_entry({"short", '0', {}, "long"});
  bytes += tar_entry({"caf\xE9", '0', {}, "latin"});
  ASSERT_EQ(unpack(bytes + std::string(1024, '\0'), ArchiveKind::Tar), "");
  EXPECT_EQ(read("out/" + longer), "long");
  EXPECT_EQ(read("out/caf\xE9"), "latin");
}

TEST_F(ArchiveTest, TheLaterOfTwoFilesOfOneNameCounts) {
  ASSERT_EQ(unpack(tar({{"a", '0', {}, "long before"}, {"a", '0', {}, "now"}}), ArchiveKind::Tar),
            "");
  EXPECT_EQ(read("out/a"), "now");
}

TEST_F(ArchiveTest, LinksMayLeadAnywhereInside) {
  ASSERT_EQ(unpack(tar({{"a/b/up", '2', "../.."},
                        {"a/dangling", '2', "missing/file"},
                        {"round", '2', "round"},
                        {"before", '2', "a/later"},
                        {"a/later", '0', {}, "x"}}),
                   ArchiveKind::Tar),
            "");
  EXPECT_EQ(read("out/before"), "x");
  EXPECT_EQ(read("out/a/b/up/a/later"), "x");
}

TEST_F(ArchiveTest, BrokenArchivesLeaveNothing) {
  const std::string good = gzip(tar(kSmall));
  std::string random;
  for (unsigned i = 0, x = 1; i < 5000; ++i) random += static_cast<char>((x = x * 69069 + 1) >> 24);
  const struct {
    ArchiveKind kind;
    std::string bytes;
  } rows[] = {
      {ArchiveKind::TarGzip, good.substr(0, good.size() / 2)},
      {ArchiveKind::TarGzip, tar(kSmall)},  // not compressed
      {ArchiveKind::TarXz, good},
      {ArchiveKind::Tar, tar(kSmall).substr(0, 1200)},
      {ArchiveKind::Tar, tar({})},
      {ArchiveKind::Tar, random},
      {ArchiveKind::Tar, ""},
      {ArchiveKind::Zip, Zip().finish()},
      {ArchiveKind::Zip, random},
      {ArchiveKind::Zip, ""},
      {ArchiveKind::Zip, Zip().add("a", "content").finish().substr(0, 40)},
  };
  for (const auto& row : rows) {
    EXPECT_NE(unpack(row.bytes, row.kind), "");
    EXPECT_FALSE(exists("out"));
  }
  EXPECT_FALSE(
      unpack_archive(at("missing"), ArchiveKind::Zip, at("out"), limits_, stop_.get_token()));
}

TEST_F(ArchiveTest, WhatIsThereAlreadyIsNotTouched) {
  write("archive", tar(kSmall));
  write("out/mine", "mine");
  EXPECT_FALSE(
      unpack_archive(at("archive"), ArchiveKind::Tar, at("out"), limits_, stop_.get_token()));
  EXPECT_EQ(read("out/mine"), "mine");
}

TEST_F(ArchiveTest, CancellingStopsIt) {
  stop_.request_stop();
  EXPECT_EQ(unpack(tar(kSmall), ArchiveKind::Tar), "interrupted");
  EXPECT_FALSE(exists("out"));
}

TEST(ArchiveKinds, AreToldByTheEndOfTheName) {
  EXPECT_EQ(archive_kind_of_file("/x/m.zip"), ArchiveKind::Zip);
  EXPECT_EQ(archive_kind_of_file("m.tar.gz"), ArchiveKind::TarGzip);
  EXPECT_EQ(archive_kind_of_file("m.tgz"), ArchiveKind::TarGzip);
  EXPECT_EQ(archive_kind_of_file("m.tar.bz2"), ArchiveKind::TarBzip2);
  EXPECT_EQ(archive_kind_of_file("m.txz"), ArchiveKind::TarXz);
  EXPECT_EQ(archive_kind_of_file("m.tar"), ArchiveKind::Tar);
  EXPECT_EQ(archive_kind_of_file("m.gz"), std::nullopt);
  EXPECT_EQ(archive_kind_of_file("zip"), std::nullopt);
  EXPECT_EQ(archive_kind_of_file("zip.git"), std::nullopt);
  EXPECT_EQ(archive_kind_of_word("tar.xz"), ArchiveKind::TarXz);
  EXPECT_EQ(archive_kind_of_word("m.zip"), std::nullopt);
}

}  // namespace
}  // namespace tofu::archive
