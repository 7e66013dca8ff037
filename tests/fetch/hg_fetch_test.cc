#include "fetch/hg_fetch.h"

#include <cstdlib>

#include "tests/fetch/fetch_fixture.h"

namespace tofu::fetch {
namespace {

using HgFetch = FetchFixture;

TEST_F(HgFetch, MercurialIsFetchedWithItsProgram) {
  if (!process::run_guarded({{"hg", "--version"}})) {
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

TEST_F(HgFetch, MercurialFilesAreMeasuredFirstAndTakenAsTheyAre) {
  if (!process::run_guarded({{"hg", "--version"}})) GTEST_SKIP() << "hg is not installed";
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

// Every user of the machine sees the arguments of all processes.
TEST_F(HgFetch, MercurialDoesNotGetThePasswordAsAnArgument) {
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

TEST_F(HgFetch, MercurialIsNotTrustedMoreThanGit) {
  EXPECT_TRUE(refuses("hg::file://" + at("repo"), "for a remote package", true));
  EXPECT_TRUE(refuses("hg::ssh://-oProxyCommand=x/y", "like an option"));
  EXPECT_TRUE(refuses("hg::https://example.com/x?rev=--config=x", "not the name of a branch"));
  EXPECT_TRUE(refuses("hg::bundle:" + at("repo"), "cannot be fetched by"));
}

}  // namespace
}  // namespace tofu::fetch
