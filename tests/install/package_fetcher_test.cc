#include "install/package_fetcher.h"

#include "install/source_query.h"
#include "tests/install/archive_bytes.h"
#include "tests/install/fetch_fixture.h"

namespace tofu::install {
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
  write("m.zip", Zip().add("main.tf", "zipped").finish());
  write("plain", gzip(tar({{"main.tf", '0', {}, "tarred"}})));
  ASSERT_EQ(fetch("file://" + at("m.zip")), "");
  EXPECT_EQ(read("out/main.tf"), "zipped");
  EXPECT_TRUE(package_.archive_hash.starts_with("zh:"));
  ASSERT_EQ(fetch("file://" + at("plain?archive=tar.gz")), "");
  EXPECT_EQ(read("out/main.tf"), "tarred");
  EXPECT_EQ(read("m.zip"), Zip().add("main.tf", "zipped").finish());
  write("dir.zip/main.tf", "a directory all the same");
  EXPECT_EQ(fetch("file://" + at("dir.zip")), "");
}

TEST_F(FileFetch, WhatCannotBeAPackageIsRefused) {
  write("file.txt", "text");
  write("dir/main.tf", "main");
  EXPECT_TRUE(refuses("file://" + at("missing"), "no such directory"));
  EXPECT_TRUE(refuses("file://" + at("file.txt"), "neither a directory nor an archive"));
  EXPECT_TRUE(refuses("file://" + at("dir?checksum=00"), "no checksum"));
  EXPECT_TRUE(refuses("file://" + at("dir"), "may not name files of this machine", true));
  link("dir/out", "../file.txt");
  EXPECT_TRUE(refuses("file://" + at("dir"), "leads out of the package"));
  EXPECT_TRUE(refuses("gopher://example.com/x", "cannot be fetched"));
}

TEST_F(FileFetch, ADirectoryThatIsThereIsNotTouched) {
  write("dir/main.tf", "main");
  write("out/mine", "mine");
  Web web(options_, cancelled_);
  const Credentials credentials;
  PackageFetcher fetcher(
      web, credentials, [](std::string_view) { return std::string_view(); }, cancelled_);
  EXPECT_FALSE(fetcher.fetch({.source = {"file://" + at("dir")}, .into = at("out")}));
  EXPECT_EQ(read("out/mine"), "mine");
}

TEST_F(FileFetch, MercurialIsFetchedWithItsProgram) {
  if (!base::run_guarded({{"hg", "--version"}})) {
    EXPECT_TRUE(refuses("hg::file://" + at("repo"), "the program hg (Mercurial)"));
    GTEST_SKIP() << "hg is not installed";
  }
  std::filesystem::create_directories(at("repo"));
  run({"hg", "init"}, at("repo"));
  write("repo/main.tf", "first");
  run({"hg", "commit", "--addremove", "--user", "a", "-m", "first"}, at("repo"));
  const std::string first = run({"hg", "log", "-r", ".", "-T", "{node}"}, at("repo"));
  write("repo/main.tf", "second");
  run({"hg", "commit", "--user", "a", "-m", "second"}, at("repo"));
  ASSERT_EQ(fetch("hg::file://" + at("repo")), "");
  EXPECT_EQ(read("out/main.tf"), "second");
  ASSERT_EQ(fetch("hg::file://" + at("repo?rev=" + first)), "");
  EXPECT_EQ(package_.revision, first);
  EXPECT_EQ(read("out/main.tf"), "first");
  EXPECT_FALSE(exists("out/.hg"));
}

TEST_F(FileFetch, MercurialFilesAreMeasuredFirstAndTakenAsTheyAre) {
  if (!base::run_guarded({{"hg", "--version"}})) GTEST_SKIP() << "hg is not installed";
  std::filesystem::create_directories(at("repo"));
  run({"hg", "init"}, at("repo"));
  write("repo/main.tf", "text");
  write("repo/run.sh", "#!/bin/sh", 0755);
  run({"hg", "commit", "--addremove", "--user", "a", "-m", "first"}, at("repo"));
  run({"hg", "bookmark", "mark"}, at("repo"));
  write("hgrc", "[decode]\n** = tempfile: touch " + at("ran") + " && cp INFILE OUTFILE\n");
  ::setenv("HGRCPATH", at("hgrc").c_str(), 1);
  EXPECT_EQ(fetch("hg::file://" + at("repo?rev=mark")), "");
  EXPECT_FALSE(exists("ran"));
  EXPECT_EQ(read("out/main.tf"), "text");
  EXPECT_EQ(::access(at("out/run.sh").c_str(), X_OK), 0);
  EXPECT_FALSE(exists("out/.hg_archival.txt"));
  limits_.unpacked_bytes = 5;
  EXPECT_TRUE(refuses("hg::file://" + at("repo"), "it has more than 500000 files or 5 bytes"));
  ::unsetenv("HGRCPATH");
}

// Whoever is on the machine sees the arguments of every process.
TEST_F(FileFetch, MercurialDoesNotGetThePasswordAsAnArgument) {
  write("bin/hg",
        "#!/bin/sh\necho \"$*\" >> " + at("arguments") +
            "\nfor last; do :; done\n"
            "case \"$*\" in *init*) mkdir -p \"$last/.hg\";;\n"
            "*) cat .hg/hgrc; stat -c %a .hg/hgrc; exit 1;; esac >> " +
            at("hgrc") + "\n",
        0755);
  const std::string before = ::getenv("PATH");
  ::setenv("PATH", (at("bin") + ":" + before).c_str(), 1);
  EXPECT_TRUE(refuses("hg::https://me:secret@localhost:1/x", "hg pull failed"));
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(read("arguments").find("secret"), std::string::npos) << read("arguments");
  EXPECT_EQ(read("hgrc"), "[paths]\ndefault = https://me:secret@localhost:1/x\n600\n");
  EXPECT_FALSE(exists("out.repository"));
}

TEST_F(FileFetch, MercurialIsNotTrustedMoreThanGit) {
  EXPECT_TRUE(refuses("hg::file://" + at("repo"), "from elsewhere", true));
  EXPECT_TRUE(refuses("hg::ssh://-oProxyCommand=x/y", "like an option"));
  EXPECT_TRUE(refuses("hg::https://example.com/x?rev=--config=x", "no name of a branch"));
  EXPECT_TRUE(refuses("hg::bundle:" + at("repo"), "cannot be fetched by"));
}

TEST(WithoutSecrets, HidesWhatOpensDoors) {
  const struct {
    const char* package;
    const char* shown;
  } rows[] = {
      {"git::https://example.com/a b?ref=v1&x", "git::https://example.com/a b?ref=v1&x"},
      {"git::ssh://git@example.com/a.git?ref=v1", "git::ssh://git@example.com/a.git?ref=v1"},
      {"git::ssh://git:pw@example.com/a?ref=v1", "git::ssh://git@example.com/a?ref=v1"},
      {"git::ssh://git@example.com/a?sshkey=abc&ref=v1", "git::ssh://git@example.com/a?ref=v1"},
      {"https://ghp_token@example.com/a.zip", "https://example.com/a.zip"},
      {"https://u:p@example.com:8443/a.zip?archive=zip",
       "https://example.com:8443/a.zip?archive=zip"},
      {"s3::https://s3.amazonaws.com/b/k.zip?aws_access_key_id=A&aws_access_key_secret=B&region=x",
       "s3::https://s3.amazonaws.com/b/k.zip?region=x"},
      {"https://x.com/a.zip?X-Amz-Signature=1&X-Amz-Security-Token=2&X-Amz-Date=3",
       "https://x.com/a.zip?X-Amz-Date=3"},
      {"https://x.com/a.zip?private_token=1", "https://x.com/a.zip"},
  };
  for (const auto& row : rows) EXPECT_EQ(without_secrets(row.package), row.shown);
}

TEST(PackageUrl, IsTakenApartAndPutTogether) {
  auto url =
      parse_package_url("git::HTTPS://us%3Aer:p%40w@Example.com:8443/a%20b/c?b=2&a=1%261&b=3");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user(), "us:er");
  EXPECT_EQ(url->password(), "p@w");
  EXPECT_EQ(url->host, "Example.com:8443");
  EXPECT_EQ(url->plain_path(), "/a b/c");
  EXPECT_EQ(url->take("b"), "2");
  EXPECT_EQ(url->take("b"), "");
  EXPECT_EQ(url->text(), "https://us%3Aer:p%40w@Example.com:8443/a%20b/c?a=1%261");
  EXPECT_EQ(parse_package_url("https://x/a b\u00FC")->text(), "https://x/a%20b%C3%BC");
  EXPECT_EQ(parse_package_url("git::codecommit::eu://repo?ref=x")->scheme, "codecommit");
  EXPECT_EQ(parse_package_url("git::codecommit::eu://repo")->text(), "codecommit::eu://repo");
  EXPECT_FALSE(parse_package_url("./x"));
}

}  // namespace
}  // namespace tofu::install
