#include "fetch/git_fetch.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fetch/git_program.h"
#include "fetch/git_references.h"
#include "fetch/git_source.h"
#include "fetch/source_query.h"
#include "net/redaction.h"
#include "tests/archive/archive_bytes.h"
#include "tests/fetch/fetch_fixture.h"
#include "tests/net/test_server.h"

namespace tofu::fetch {
namespace {

class GitFetch : public FetchFixture {
 protected:
  // The repository is made once, and each test works on a copy.
  static void SetUpTestSuite() {
    std::string pattern = std::filesystem::temp_directory_path() / "repository_XXXXXX";
    original_ = ::mkdtemp(pattern.data());
    const auto git = [](std::vector<std::string> arguments) {
      arguments.insert(arguments.begin(), "git");
      return run(std::move(arguments), original_);
    };
    const auto put = [](const std::string& path, std::string_view text) {
      std::filesystem::create_directories(std::filesystem::path(original_ + path).parent_path());
      std::ofstream(original_ + path) << text;
    };
    git({"init", "--quiet", "--initial-branch=trunk"});
    put("/main.tf", "first\n");
    put("/run.sh", "#!/bin/sh\n");
    ::chmod((original_ + "/run.sh").c_str(), 0755);
    put("/modules/sub/x.tf", "x\n");
    std::filesystem::create_symlink("../main.tf", original_ + "/modules/link.tf");
    git({"add", "--all"});
    git({"commit", "--quiet", "-m", "first"});
    first_ = git({"rev-parse", "HEAD"});
    git({"tag", "v1"});
    git({"tag", "-a", "-m", "annotated", "v1-annotated"});
    git({"branch", "feature/one"});
    put("/main.tf", "second\n");
    git({"commit", "--quiet", "--all", "-m", "second"});
    second_ = git({"rev-parse", "HEAD"});
    // A name for two things: the tag counts.
    git({"branch", "both", "HEAD"});
    git({"tag", "both", first_});
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(original_); }

  GitFetch() {
    std::filesystem::copy(
        original_, at("repo"),
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
  }

  std::string git(std::vector<std::string> arguments, const std::string& repository = "repo") {
    arguments.insert(arguments.begin(), "git");
    return run(std::move(arguments), at(repository));
  }
  std::string commit(const std::string& message, const std::string& repository = "repo") {
    git({"add", "--all"}, repository);
    git({"commit", "--quiet", "-m", message}, repository);
    return git({"rev-parse", "HEAD"}, repository);
  }
  // A commit of seven objects that are a million files: each tree holds the one before
  // ten times.
  std::string bomb() {
    std::string below = git({"hash-object", "-w", "main.tf"});
    std::string type = "100644 blob ";
    for (int level = 0; level < 6; ++level) {
      std::string list;
      for (char c = '0'; c <= '9'; ++c) list += type + below + "\t" + c + "\n";
      write("list", list);
      below = run({"sh", "-c", "git mktree < ../list"}, at("repo"));
      type = "040000 tree ";
    }
    return git({"commit-tree", "-m", "bomb", below});
  }
  std::string url(std::string_view query = "") {
    return "git::file://" + at("repo") + std::string(query);
  }

  inline static std::string original_;
  inline static std::string first_;
  inline static std::string second_;
};

// A repository on this machine lends its objects if it is one directory. Without that
// they are sent, as from anywhere else.
enum class Objects { Lent, Sent };

class GitFetchFromDisk : public GitFetch, public ::testing::WithParamInterface<Objects> {
 protected:
  GitFetchFromDisk() {
    if (GetParam() == Objects::Lent) return;
    std::filesystem::rename(at("repo/.git"), at("elsewhere.git"));
    write("repo/.git", "gitdir: ../elsewhere.git\n");
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, GitFetchFromDisk, ::testing::Values(Objects::Lent, Objects::Sent));

TEST_F(GitFetch, WithoutARefTheDefaultBranchIsFetched) {
  ASSERT_EQ(fetch(url()), "");
  EXPECT_EQ(read("out/main.tf"), "second\n");
  EXPECT_EQ(read("out/modules/link.tf"), "second\n");
  EXPECT_EQ(mode("out/run.sh") & 0100, 0100u);
  EXPECT_EQ(package_.revision, second_);
  EXPECT_EQ(package_.archive_hash, "");
  EXPECT_FALSE(exists("out/.git"));
}

TEST_P(GitFetchFromDisk, EveryKindOfRefIsFound) {
  const struct {
    std::string ref;
    std::string commit;
  } rows[] = {
      {"trunk", second_},        {"v1", first_},
      {"v1-annotated", first_},  {"feature/one", first_},
      {"refs/tags/v1", first_},  {"refs/heads/trunk", second_},
      {"both", first_},          {"HEAD", second_},
      {first_, first_},          {first_.substr(0, 8), first_},
      {"origin/trunk", second_}, {"trunk~1", first_},
      {"HEAD~1", first_},        {"v1^{commit}", first_},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(fetch(url("?ref=" + row.ref)), "") << row.ref;
    EXPECT_EQ(package_.revision, row.commit) << row.ref;
    EXPECT_EQ(read("out/main.tf"), row.commit == first_ ? "first\n" : "second\n") << row.ref;
    EXPECT_FALSE(exists("out/.git"));
  }
}

TEST_F(GitFetch, DepthIsAccepted) {
  EXPECT_EQ(fetch(url("?depth=1&ref=v1")), "");
  EXPECT_EQ(package_.revision, first_);
}

TEST_F(GitFetch, AnArchiveInARepositoryIsUnpacked) {
  write("repo/m.zip", archive::Zip().add("main.tf", "zipped").finish());
  const std::string third = commit("third");
  ASSERT_EQ(fetch(url("/m.zip?ref=trunk")), "");
  EXPECT_EQ(read("out/main.tf"), "zipped");
  EXPECT_EQ(package_.revision, third);
  EXPECT_TRUE(package_.archive_hash.starts_with("zh:"));
  EXPECT_FALSE(exists("out.repository"));
  EXPECT_NE(fetch(url("/missing.zip")), "");
  EXPECT_TRUE(refuses(url("/main.tf?archive=zip"), "the archive cannot be read"));
  EXPECT_EQ(fetch(url("?archive=false&ref=v1")), "");
  EXPECT_TRUE(refuses(url("?checksum=00&ref=v1"), "this is a repository"));
  EXPECT_FALSE(exists("out.repository"));
}

TEST_P(GitFetchFromDisk, TheLockedCommitWinsOverTheRef) {
  ASSERT_EQ(fetch(url("?ref=trunk"), false, first_), "");
  EXPECT_EQ(package_.revision, first_);
  EXPECT_EQ(read("out/main.tf"), "first\n");
  EXPECT_NE(fetch(url("?ref=trunk"), false, std::string(40, '1')), "");
}

TEST_P(GitFetchFromDisk, AServerThatGivesNoSingleCommitsIsAskedForAll) {
  git({"config", "uploadpack.allowAnySHA1InWant", "false"});
  git({"config", "protocol.version", "0"});
  ::setenv("GIT_CONFIG_COUNT", "1", 1);
  ::setenv("GIT_CONFIG_KEY_0", "protocol.version", 1);
  ::setenv("GIT_CONFIG_VALUE_0", "0", 1);
  EXPECT_EQ(fetch(url("?ref=" + first_)), "");
  ::unsetenv("GIT_CONFIG_COUNT");
  EXPECT_EQ(package_.revision, first_);
}

TEST_P(GitFetchFromDisk, WhatIsNotThereIsAnError) {
  EXPECT_TRUE(refuses(url("?ref=nowhere"), "no branch, tag or commit \"nowhere\""));
  EXPECT_TRUE(refuses("git::file://" + at("missing"), "git fetch failed"));
}

TEST_F(GitFetch, RepositoriesOfEveryShapeAreRead) {
  const std::string origin = "file://" + at("repo");
  git({"clone", "--quiet", "--bare", origin, at("bare.git")});
  git({"clone", "--quiet", "--depth=1", origin, at("shallow")});
  git({"clone", "--quiet", "--shared", at("repo"), at("borrows")});
  git({"worktree", "add", "--quiet", "--detach", at("worktree"), "trunk"});
  std::filesystem::create_directory_symlink("repo", at("link"));
  for (const char* name : {"bare.git", "bare", "shallow", "borrows", "worktree", "link", "repo/"}) {
    EXPECT_EQ(fetch("git::file://" + at(name)), "") << name;
    EXPECT_EQ(package_.revision, second_) << name;
    EXPECT_EQ(read("out/main.tf"), "second\n") << name;
  }
}

TEST_F(GitFetch, RepositoriesWithLongHashesAreRead) {
  std::filesystem::create_directory(at("long"));
  git({"init", "--quiet", "--object-format=sha256"}, "long");
  write("long/main.tf", "long\n");
  const std::string hash = commit("only", "long");
  ASSERT_EQ(hash.size(), 64u);
  EXPECT_EQ(fetch("git::file://" + at("long")), "");
  EXPECT_EQ(package_.revision, hash);
  EXPECT_EQ(fetch("git::file://" + at("long") + "?ref=" + hash), "");
  EXPECT_EQ(read("out/main.tf"), "long\n");
}

TEST_F(GitFetch, ARepositoryThatLacksFilesIsRefusedAsGitDoes) {
  git({"config", "uploadpack.allowFilter", "true"});
  git({"clone", "--quiet", "--filter=blob:none", "--no-checkout", "file://" + at("repo"),
       at("partial")});
  EXPECT_TRUE(refuses("git::file://" + at("partial"), "git fetch failed"));
}

TEST_F(GitFetch, TheEnvironmentOfAnotherRepositoryDoesNotMatter) {
  ::setenv("GIT_DIR", at("elsewhere").c_str(), 1);
  ::setenv("GIT_WORK_TREE", at("elsewhere").c_str(), 1);
  EXPECT_EQ(fetch(url("?ref=v1")), "");
  ::unsetenv("GIT_DIR");
  ::unsetenv("GIT_WORK_TREE");
  EXPECT_FALSE(exists("elsewhere"));
  EXPECT_EQ(read("out/main.tf"), "first\n");
}

TEST_F(GitFetch, OptionsAreNeverPassedOn) {
  const std::string file = at("made");
  for (const std::string& ref :
       {"--upload-pack=touch " + file, "--upload-pack%3Dtouch%20" + file, std::string("-x"),
        std::string("--output=x"), std::string("a..b"), std::string("a:b"), std::string("a%20b"),
        std::string("%2Brefs/heads/*:refs/heads/*"), std::string("a%0Ab"), std::string("a*")}) {
    EXPECT_TRUE(refuses(url("?ref=" + ref), "not the name of a branch, tag or commit")) << ref;
  }
  for (const char* address : {"git::ssh://-oProxyCommand=touch/x",
                              "git::ssh://-oProxyCommand=touch@host/x", "git::https://-x/y"}) {
    EXPECT_TRUE(refuses(address, "like an option")) << address;
  }
  EXPECT_FALSE(is_valid_revision(""));
  EXPECT_FALSE(is_valid_revision(std::string("a\0b", 3)));
  EXPECT_TRUE(is_valid_revision("v1.0/x+y_z-1"));
  EXPECT_FALSE(exists("made"));
}

TEST_F(GitFetch, TransportsThatRunProgramsAreNeverUsed) {
  const std::string file = at("made");
  for (const bool untrusted : {false, true}) {
    environment_["GIT_ALLOW_PROTOCOL"] = "ext:fd:file:https";
    EXPECT_TRUE(refuses("git::ext::sh -c touch% " + file, "never used", untrusted));
    EXPECT_TRUE(refuses("git::fd::17", "never used", untrusted));
  }
  EXPECT_FALSE(exists("made"));
}

TEST_F(GitFetch, APackageFromElsewhereMayNotNameFiles) {
  EXPECT_TRUE(refuses(url(), "must not use git's transport", true));
  EXPECT_TRUE(refuses("git::file::" + at("repo"), "must not use git's transport", true));
  EXPECT_TRUE(refuses("git::codecommit://x", "must not use git's transport", true));
  environment_["GIT_ALLOW_PROTOCOL"] = "file";
  EXPECT_TRUE(refuses(url(), "must not use git's transport", true));
}

TEST_F(GitFetch, TheUsersTransportsAreThoseThatGitUsesNotThoseThatAPackageWrites) {
  // As a configuration of git that leads https to another transport needs it.
  environment_["GIT_ALLOW_PROTOCOL"] = "http";
  EXPECT_TRUE(refuses("git::https://127.0.0.1:1/x", "transport 'https' not allowed", true));
  environment_["GIT_ALLOW_PROTOCOL"] = "file";
  EXPECT_TRUE(refuses("git::https://127.0.0.1:1/x", "transport 'https' not allowed", true));
}

TEST_F(GitFetch, SubmodulesMayNotComeFromFilesEither) {
  std::filesystem::create_directories(at("outer"));
  git({"init", "--quiet"}, "outer");
  git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "file://" + at("repo"),
       "sub"},
      "outer");
  commit("with a submodule", "outer");
  EXPECT_TRUE(refuses("git::file://" + at("outer"), "transport 'file' not allowed"));
}

// A server that knows nothing of git and only hands out files: no single commits, no
// shallow fetches.
TEST_F(GitFetch, ASimpleWebServerIsEnoughForARepositoryAndItsSubmodules) {
  git({"update-server-info"});
  std::filesystem::create_directories(at("outer"));
  git({"init", "--quiet", "--initial-branch=trunk"}, "outer");
  git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "file://" + at("repo"),
       "modules/sub"},
      "outer");
  // Relative to where the outer repository is fetched from.
  git({"config", "--file", ".gitmodules", "submodule.modules/sub.url", "../../repo/.git"}, "outer");
  const std::string outer = commit("with a submodule", "outer");
  git({"update-server-info"}, "outer");
  const net::TestServer server([this](const net::ServerRequest& request) -> net::ServerReply {
    if (!exists(request.path().substr(1))) return {.status = 404};
    return {.body = read(request.path().substr(1))};
  });

  for (const bool untrusted : {false, true}) {
    ASSERT_EQ(fetch("git::" + server.url("/outer/.git?ref=trunk"), untrusted), "");
    EXPECT_EQ(package_.revision, outer);
    EXPECT_EQ(read("out/modules/sub/main.tf"), "second\n");
    EXPECT_FALSE(exists("out/.git"));
    EXPECT_FALSE(exists("out/modules/sub/.git"));
  }
  ASSERT_EQ(fetch("git::" + server.url("/repo/.git?ref=" + first_)), "");
  EXPECT_EQ(read("out/main.tf"), "first\n");
}

TEST_F(GitFetch, LinksMayNotLeadOut) {
  link("repo/evil", "../../outside");
  commit("evil");
  EXPECT_TRUE(refuses(url(), "the link \"evil\" leads out of the package"));
  std::filesystem::remove(at("repo/evil"));
  link("repo/evil", "/etc");
  commit("evil again");
  EXPECT_TRUE(refuses(url(), "the link \"evil\" leads out of the package"));
}

TEST_F(GitFetch, HooksAndConfigurationOfTheUserRunNothing) {
  write("hooks/post-checkout", "#!/bin/sh\ntouch " + at("made") + "\n", 0755);
  ::setenv("GIT_CONFIG_COUNT", "2", 1);
  ::setenv("GIT_CONFIG_KEY_0", "core.hooksPath", 1);
  ::setenv("GIT_CONFIG_VALUE_0", at("hooks").c_str(), 1);
  ::setenv("GIT_CONFIG_KEY_1", "core.fsmonitor", 1);
  ::setenv("GIT_CONFIG_VALUE_1", at("hooks/post-checkout").c_str(), 1);
  EXPECT_EQ(fetch(url()), "");
  ::unsetenv("GIT_CONFIG_COUNT");
  EXPECT_FALSE(exists("made"));
}

TEST_P(GitFetchFromDisk, ATreeThatMultipliesIsNoticedBeforeItIsWritten) {
  git({"branch", "bomb", bomb()});
  limits_.files = 10'000;
  EXPECT_TRUE(refuses(url("?ref=bomb"), "more than 10000 files"));
}

TEST_F(GitFetch, ATreeThatMultipliesInASubmoduleIsNoticedSoon) {
  const std::string commit_of_bomb = bomb();
  git({"update-ref", "HEAD", commit_of_bomb});
  git({"update-server-info"});
  std::filesystem::create_directories(at("outer"));
  git({"init", "--quiet", "--initial-branch=trunk"}, "outer");
  write("outer/.gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ../../repo/.git\n");
  git({"update-index", "--add", "--cacheinfo", "160000," + commit_of_bomb + ",sub"}, "outer");
  git({"add", ".gitmodules"}, "outer");
  git({"commit", "--quiet", "-m", "bomb"}, "outer");
  git({"update-server-info"}, "outer");
  const net::TestServer server([this](const net::ServerRequest& request) -> net::ServerReply {
    if (!exists(request.path().substr(1))) return {.status = 404};
    return {.body = read(request.path().substr(1))};
  });
  limits_.files = 1'000;
  EXPECT_TRUE(refuses("git::" + server.url("/outer/.git?ref=trunk"),
                      "with its submodules it has more than 1000 files"));
}

TEST_P(GitFetchFromDisk, SizesAreLimited) {
  limits_.unpacked_bytes = 10;
  EXPECT_TRUE(refuses(url(), "or 10 bytes"));
}

TEST_F(GitFetch, SecretsAreNotShown) {
  const std::string key = "c2VjcmV0a2V5";  // secretkey
  const std::string problem =
      fetch("git::ssh://name:password@localhost:1/repo.git?sshkey=" + key + "&ref=v1");
  EXPECT_NE(problem, "");
  for (const char* secret : {"secretkey", "c2VjcmV0a2V5", "password"}) {
    EXPECT_EQ(problem.find(secret), std::string::npos) << problem;
  }
  EXPECT_TRUE(refuses("git::ssh://localhost/x?sshkey=!!", "not in base64"));
  for (const auto& entry : std::filesystem::directory_iterator(top_)) {
    EXPECT_EQ(entry.path().string().find("key"), std::string::npos) << "the key is still there";
  }
}

// A file on disk would stay if we were killed.
TEST_F(GitFetch, TheKeyIsGivenToSshInAFileThatIsOnNoDisk) {
  write("ssh",
        "#!/bin/sh\necho \"$@\" > " + at("arguments") + "\nstat -L -c %a \"$2\" > " + at("mode") +
            "\ncat \"$2\" > " + at("key") + "\nexit 1\n",
        0755);
  environment_["GIT_SSH_COMMAND"] = at("ssh");
  EXPECT_TRUE(refuses("git::ssh://git@example.com/repo.git?sshkey=c2VjcmV0a2V5",
                      "Could not read from remote repository"));
  EXPECT_EQ(read("key"), "secretkey");
  EXPECT_EQ(read("mode"), "600\n");
  EXPECT_TRUE(read("arguments").starts_with("-i /proc/")) << read("arguments");
}

TEST_F(GitFetch, ErrorsOfGitStayReadableWhateverTheUserIsCalled) {
  environment_["GIT_SSH_COMMAND"] = "false";
  const std::string problem = fetch("git::ssh://git@example.com/repo.git?sshkey=c2VjcmV0a2V5");
  EXPECT_NE(problem.find("Could not read from remote repository"), std::string::npos) << problem;
  EXPECT_EQ(problem.find("***"), std::string::npos) << problem;
}

TEST(SecretsOf, AreWhatOpensDoorsAndNothingElse) {
  const auto secrets = [](const char* address) {
    return fmt::format("{}", fmt::join(secrets_of(*parse_package_url(address)), " "));
  };
  EXPECT_EQ(secrets("git::ssh://git@example.com/a"), "");
  EXPECT_EQ(secrets("git::https://token@example.com/a"), "token@");
  EXPECT_EQ(secrets("git::https://git:p%20w@example.com/a"), "git:p%20w p%20w p w");
  EXPECT_EQ(secrets("git::https://example.com/a?token=x%2Fy&ref=main"), "x%2Fy x/y");
  EXPECT_EQ(net::redact("fatal: https://git@h/git failed", {"git@"}),
            "fatal: https://***@h/git failed");
  EXPECT_EQ(net::redact("make sure that\nthe repository exists.\n", {}),
            "make sure that\nthe repository exists");
}

// Filters are programs, and what they make of a file is different for every user.
TEST_P(GitFetchFromDisk, FiltersOfTheUserAreNotRun) {
  write("home/.gitconfig",
        "[filter \"loud\"]\n\tsmudge = touch " + at("ran") + " && cat\n\trequired = true\n" +
            "[core]\n\tautocrlf = true\n\tattributesFile = " + at("home/attributes") + "\n");
  write("home/attributes", "*.sh eol=crlf\n");
  write("repo/.gitattributes", "* filter=loud\n");
  write("repo/modules/.gitattributes", "* filter=loud\n");
  commit("filtered");
  ::setenv("GIT_CONFIG_GLOBAL", at("home/.gitconfig").c_str(), 1);
  EXPECT_EQ(fetch(url()), "");
  ::unsetenv("GIT_CONFIG_GLOBAL");
  EXPECT_FALSE(exists("ran"));
  EXPECT_EQ(read("out/main.tf"), "second\n");
  EXPECT_EQ(read("out/modules/sub/x.tf"), "x\n");
  EXPECT_EQ(read("out/run.sh"), "#!/bin/sh\n");
}

TEST_F(GitFetch, FiltersAreNotRunOnSubmodulesEither) {
  write("repo/.gitattributes", "* filter=loud\n");
  const std::string inner = commit("filtered");
  git({"update-server-info"});
  std::filesystem::create_directories(at("outer"));
  git({"init", "--quiet", "--initial-branch=trunk"}, "outer");
  write("outer/.gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ../../repo/.git\n");
  git({"update-index", "--add", "--cacheinfo", "160000," + inner + ",sub"}, "outer");
  git({"add", ".gitmodules"}, "outer");
  git({"commit", "--quiet", "-m", "outer"}, "outer");
  git({"update-server-info"}, "outer");
  const net::TestServer server([this](const net::ServerRequest& request) -> net::ServerReply {
    if (!exists(request.path().substr(1))) return {.status = 404};
    return {.body = read(request.path().substr(1))};
  });
  write("home/.gitconfig",
        "[filter \"loud\"]\n\tsmudge = touch " + at("ran") + " && cat\n\trequired = true\n");
  ::setenv("GIT_CONFIG_GLOBAL", at("home/.gitconfig").c_str(), 1);
  EXPECT_EQ(fetch("git::" + server.url("/outer/.git?ref=trunk")), "");
  ::unsetenv("GIT_CONFIG_GLOBAL");
  EXPECT_EQ(read("out/sub/main.tf"), "second\n");
  EXPECT_FALSE(exists("ran"));
}

TEST_F(GitFetch, CancellingEndsIt) {
  stop_.request_stop();
  EXPECT_TRUE(refuses(url(), "interrupted"));
}

}  // namespace
}  // namespace tofu::fetch
