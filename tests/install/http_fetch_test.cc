#include "install/http_fetch.h"

#include <fmt/format.h>

#include "install/tree_hash.h"
#include "tests/install/archive_bytes.h"
#include "tests/install/fetch_fixture.h"
#include "tests/install/test_server.h"

namespace tofu::install {
namespace {

const std::string kZip =
    Zip().add("main.tf", "zipped").add("sub/x.tf", "x").add("sub/inner/y.tf", "y").finish();
const std::string kTar = tar({{"main.tf", '0', {}, "tarred"}});

class HttpFetch : public FetchFixture {
 protected:
  ServerReply answer(const ServerRequest& request) {
    const std::string path = request.path();
    if (path == "/m.zip" || path == "/plain") return {.body = kZip};
    if (path == "/m.tar.gz" || path == "/m.tgz") return {.body = gzip(kTar)};
    if (path == "/m.tar.bz2") return {.body = bzip2(kTar)};
    if (path == "/m.tar.xz") return {.body = xz(kTar)};
    if (path == "/m.tar") return {.body = kTar};
    if (path == "/sums") {
      return {.body = "# sums\n" + sha256_hex("other") + "  other.zip\n" + sha256_hex(kZip) +
                      " *m.zip\n"};
    }
    if (path == "/private.zip") {
      // "name:pass word"
      return request.header("authorization") == "Basic bmFtZTpwYXNzIHdvcmQ="
                 ? ServerReply{.body = kZip}
                 : ServerReply{.status = 401};
    }
    if (path == "/endless.zip") return {.body = std::string(1 << 16, 'x'), .endless = true};
    if (path == "/cut.zip") return {.body = kZip, .cut_after = 20};
    const auto detour = detours_.find(path);
    if (detour != detours_.end()) {
      return {.status = 204, .headers = {{"X-Terraform-Get", detour->second}}};
    }
    if (path == "/page") {
      return {.body = "<html><head><meta name=\"terraform-get\" content=\"" +
                      server_.url("/m.zip?a=1&amp;b=2") + "\"></head></html>"};
    }
    return {.status = 404, .body = "nothing here"};
  }

  std::map<std::string, std::string> detours_;
  TestServer server_{[this](const ServerRequest& request) { return answer(request); }};
};

TEST_F(HttpFetch, EveryKindOfArchiveIsKnownByItsName) {
  for (const char* name : {"/m.tar.gz", "/m.tgz", "/m.tar.bz2", "/m.tar.xz", "/m.tar"}) {
    EXPECT_EQ(fetch(server_.url(name)), "") << name;
    EXPECT_EQ(read("out/main.tf"), "tarred") << name;
  }
  EXPECT_EQ(fetch(server_.url("/m.zip?token=x")), "");
  EXPECT_EQ(read("out/main.tf"), "zipped");
  EXPECT_EQ(package_.archive_hash, "zh:" + sha256_hex(kZip));
  EXPECT_EQ(package_.revision, "");
  EXPECT_FALSE(exists("out.archive"));
}

TEST_F(HttpFetch, TheKindCanBeSaid) {
  EXPECT_EQ(fetch(server_.url("/plain?archive=zip")), "");
  EXPECT_EQ(server_.requests().back().target, "/plain");
  EXPECT_TRUE(refuses(server_.url("/m.zip?archive=rar"), "no kind of archive"));
  EXPECT_TRUE(refuses(server_.url("/m.zip?archive=tgz"), "cannot be read"));
  // As a page that names another source, which it does not.
  EXPECT_TRUE(refuses(server_.url("/m.zip?archive=false"), "X-Terraform-Get"));
  EXPECT_EQ(server_.requests().back().target, "/m.zip?terraform-get=1");
}

TEST_F(HttpFetch, ChecksumsAreChecked) {
  const std::string sum = sha256_hex(kZip);
  for (const std::string& good :
       {sum, "sha256:" + sum, "SHA256:" + sum, "file:" + server_.url("/sums")}) {
    EXPECT_EQ(fetch(server_.url("/m.zip?checksum=" + good)), "") << good;
  }
  write("sums", "SHA256 (m.zip) = " + sum + "\n");
  EXPECT_EQ(fetch(server_.url("/m.zip?checksum=file:file://" + at("sums"))), "");
  EXPECT_TRUE(refuses(server_.url("/m.zip?checksum=file:file://" + at("sums")),
                      "may not name files", true));
  EXPECT_EQ(server_.requests().back().target, "/m.zip");
  EXPECT_TRUE(refuses(server_.url("/m.zip?checksum=sha256:" + std::string(64, '0')),
                      "the sha256 checksum " + sum + ", but 000"));
  EXPECT_TRUE(refuses(server_.url("/m.zip?checksum=md5:" + sum), "no hash"));
  EXPECT_TRUE(refuses(server_.url("/m.zip?checksum=123"), "no hash"));
  EXPECT_TRUE(refuses(server_.url("/m.tgz?checksum=file:" + server_.url("/sums")), "has none for"));
  EXPECT_TRUE(refuses(server_.url("/page?checksum=" + sum), "needs an archive"));
  EXPECT_FALSE(exists("out.archive"));
}

TEST_F(HttpFetch, AHeaderOrAPageNamesTheSource) {
  detours_["/header"] = server_.url("/m.zip//sub");
  ASSERT_EQ(fetch(server_.url("/header?x=1")), "");
  EXPECT_EQ(read("out/x.tf"), "x");
  EXPECT_FALSE(exists("out/main.tf")) << "the directory is the package, not what is around it";
  EXPECT_EQ(package_.archive_hash, "zh:" + sha256_hex(kZip));
  EXPECT_FALSE(exists("out.whole"));
  EXPECT_EQ(server_.requests().front().target, "/header?terraform-get=1&x=1");

  ASSERT_EQ(fetch(server_.url("/page")), "");
  EXPECT_EQ(server_.requests().back().target, "/m.zip?a=1&b=2");

  detours_["/dir/relative"] = "../m.zip";
  ASSERT_EQ(fetch(server_.url("/dir/relative")), "");
  detours_["/absolute"] = "/m.zip?archive=zip";
  ASSERT_EQ(fetch(server_.url("/absolute")), "");
  detours_["/twice"] = server_.url("/header//inner");
  ASSERT_EQ(fetch(server_.url("/twice")), "");
  EXPECT_EQ(read("out/y.tf"), "y");
  detours_["/nowhere"] = server_.url("/m.zip//nowhere");
  EXPECT_TRUE(refuses(server_.url("/nowhere"), "no directory"));
  EXPECT_FALSE(exists("out.whole"));
}

TEST_F(HttpFetch, ADetourMayNotLeadToFilesOrRoundInCircles) {
  write("secret/main.tf", "secret");
  detours_["/file"] = "file://" + at("secret");
  EXPECT_TRUE(refuses(server_.url("/file"), "may not name files of this machine"));
  detours_["/git"] = "git::file://" + at("secret");
  EXPECT_TRUE(refuses(server_.url("/git"), "may not be named by a package"));
  detours_["/ext"] = "git::ext::sh -c touch% " + at("made");
  EXPECT_TRUE(refuses(server_.url("/ext"), "never used"));
  detours_["/path"] = at("secret");  // a path of the server, that is
  EXPECT_TRUE(refuses(server_.url("/path"), "404"));
  detours_["/registry"] = "a/b/c";
  EXPECT_TRUE(refuses(server_.url("/registry"), "no URL"));
  detours_["/empty"] = "";
  EXPECT_TRUE(refuses(server_.url("/empty"), "names another source"));
  detours_["/circle"] = server_.url("/circle");
  const std::size_t before = server_.requests().size();
  EXPECT_TRUE(refuses(server_.url("/circle"), "one server after the other"));
  EXPECT_LE(server_.requests().size() - before, 11u);
  EXPECT_FALSE(exists("made"));
}

TEST_F(HttpFetch, LoginsComeFromTheAddressOrFromNetrc) {
  EXPECT_TRUE(refuses(server_.url("/private.zip"), "status 401"));
  const std::string login =
      fmt::format("http://name:pass%20word@127.0.0.1:{}/private.zip", server_.port());
  EXPECT_EQ(fetch(login), "");
  write("home/.netrc", "machine 127.0.0.1 login name password \"pass word\"\n", 0600);
  environment_["HOME"] = at("home");
  EXPECT_EQ(fetch(server_.url("/private.zip")), "");
  const std::string problem = fetch(
      fmt::format("http://name:secret@127.0.0.1:{}/private.zip?token=hidden", server_.port()));
  EXPECT_NE(problem.find("401"), std::string::npos);
  EXPECT_EQ(problem.find("secret"), std::string::npos);
  EXPECT_EQ(problem.find("hidden"), std::string::npos);
}

TEST_F(HttpFetch, LoginsAreNotPassedOnToOtherServers) {
  TestServer other([](const ServerRequest&) -> ServerReply { return {.body = kZip}; });
  TestServer first([&](const ServerRequest& request) -> ServerReply {
    if (request.path() == "/m.zip") return redirect_to(other.url("/m.zip"));
    return {.status = 204, .headers = {{"X-Terraform-Get", other.url("/m.zip")}}};
  });
  for (const char* path : {"m.zip", "page"}) {
    EXPECT_EQ(fetch(fmt::format("http://name:secret@127.0.0.1:{}/{}", first.port(), path)), "");
    EXPECT_NE(first.requests().back().header("authorization"), "");
    EXPECT_EQ(other.requests().back().header("authorization"), "");
  }
}

TEST_F(HttpFetch, TheDefaultLoginOfNetrcIsNotForHostsThatServersName) {
  TestServer server([&](const ServerRequest& request) -> ServerReply {
    if (request.path() == "/m.zip") return {.body = kZip};
    return {.status = 204, .headers = {{"X-Terraform-Get", "/m.zip"}}};
  });
  write("home/.netrc", "default login name password secret\n", 0600);
  environment_["HOME"] = at("home");
  EXPECT_EQ(fetch(server.url("/m.zip")), "");
  EXPECT_NE(server.requests().back().header("authorization"), "");
  EXPECT_EQ(fetch(server.url("/page")), "");
  EXPECT_EQ(server.requests().back().header("authorization"), "");
  write("home/.netrc", "machine 127.0.0.1 login name password secret\n", 0600);
  EXPECT_EQ(fetch(server.url("/page")), "");
  EXPECT_NE(server.requests().back().header("authorization"), "");
}

TEST_F(HttpFetch, BadAnswersLeaveNothing) {
  EXPECT_TRUE(refuses(server_.url("/missing.zip"), "status 404"));
  EXPECT_NE(fetch(server_.url("/cut.zip")), "");
  limits_.download_bytes = 1 << 20;
  EXPECT_NE(fetch(server_.url("/endless.zip")), "");
  cancelled_ = true;
  EXPECT_NE(fetch(server_.url("/m.zip")), "");
  for (const auto& entry : std::filesystem::directory_iterator(top_)) {
    ADD_FAILURE() << entry.path() << " was left behind";
  }
}

TEST(MetaSource, IsFoundInTheHeadOfAPage) {
  EXPECT_EQ(find_meta_source("<meta name=terraform-get content=https://x/y>"), "https://x/y");
  EXPECT_EQ(find_meta_source("<!DOCTYPE html><META CONTENT='a&#38;b' NAME='terraform-get' />"),
            "a&b");
  EXPECT_EQ(find_meta_source("<meta name=\"other\" content=\"no\"><meta\nname=\"terraform-get\" "
                             "content=\"yes\">"),
            "yes");
  EXPECT_EQ(find_meta_source("<!-- <meta name=terraform-get content=no> --><meta "
                             "name=terraform-get content=yes>"),
            "yes");
  for (const char* none :
       {"", "<", "<meta", "<meta name=terraform-get", "text",
        "<body><meta name=terraform-get content=no>", "</head><meta name=terraform-get content=no>",
        "<!-- <meta name=terraform-get content=no>"}) {
    EXPECT_EQ(find_meta_source(none), "") << none;
  }
}

}  // namespace
}  // namespace tofu::install
