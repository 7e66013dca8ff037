#include "fetch/http_fetch.h"

#include <fmt/format.h>

#include "base/hashes.h"
#include "tests/archive/archive_bytes.h"
#include "tests/fetch/fetch_fixture.h"
#include "tests/net/test_server.h"

namespace tofu::fetch {
namespace {

const std::string kZip = archive::Zip()
                             .add("main.tf", "zipped")
                             .add("sub/x.tf", "x")
                             .add("sub/inner/y.tf", "y")
                             .finish();
const std::string kTar = archive::tar({{"main.tf", '0', {}, "tarred"}});

class HttpFetch : public FetchFixture {
 protected:
  net::ServerReply answer(const net::ServerRequest& request) {
    const std::string path = request.path();
    if (path == "/m.zip" || path == "/plain") return {.body = kZip};
    if (path == "/m.tar.gz" || path == "/m.tgz") return {.body = archive::gzip(kTar)};
    if (path == "/m.tar.bz2") return {.body = archive::bzip2(kTar)};
    if (path == "/m.tar.xz") return {.body = archive::xz(kTar)};
    if (path == "/m.tar") return {.body = kTar};
    if (path == "/sums") {
      return {.body = "# sums\n" + base::sha256_hex("other") + "  other.zip\n" +
                      base::sha256_hex(kZip) + " *m.zip\n"};
    }
    if (path == "/private.zip") {
      // "name:pass word"
      return request.header("authorization") == "Basic bmFtZTpwYXNzIHdvcmQ="
                 ? net::ServerReply{.body = kZip}
                 : net::ServerReply{.status = 401};
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
  net::TestServer server_{[this](const net::ServerRequest& request) { return answer(request); }};
};

TEST_F(HttpFetch, EveryKindOfArchiveIsKnownByItsName) {
  for (const char* name : {"/m.tar.gz", "/m.tgz", "/m.tar.bz2", "/m.tar.xz", "/m.tar"}) {
    EXPECT_EQ(fetch(server_.url(name)), "") << name;
    EXPECT_EQ(read("out/main.tf"), "tarred") << name;
  }
  EXPECT_EQ(fetch(server_.url("/m.zip?token=x")), "");
  EXPECT_EQ(read("out/main.tf"), "zipped");
  EXPECT_EQ(package_.archive_hash, "zh:" + base::sha256_hex(kZip));
  EXPECT_EQ(package_.revision, "");
  EXPECT_FALSE(exists("out.archive"));
}

TEST_F(HttpFetch, TheKindCanBeSaid) {
  EXPECT_EQ(fetch(server_.url("/plain?archive=zip")), "");
  EXPECT_EQ(server_.requests().back().target, "/plain");
  EXPECT_TRUE(refuses(server_.url("/m.zip?archive=rar"), "not a supported archive type"));
  EXPECT_TRUE(refuses(server_.url("/m.zip?archive=tgz"), "cannot be read"));
  // As a page that names another source, which it does not.
  EXPECT_TRUE(refuses(server_.url("/m.zip?archive=false"), "X-Terraform-Get"));
  EXPECT_EQ(server_.requests().back().target, "/m.zip?terraform-get=1");
}

TEST_F(HttpFetch, ChecksumsAreChecked) {
  const std::string sum = base::sha256_hex(kZip);
  for (const std::string& good :
       {sum, "sha256:" + sum, "SHA256:" + sum, "file:" + server_.url("/sums")}) {
    EXPECT_EQ(fetch(server_.url("/m.zip?checksum=" + good)), "") << good;
  }
  write("sums", "SHA256 (m.zip) = " + sum + "\n");
  EXPECT_EQ(fetch(server_.url("/m.zip?checksum=file:file://" + at("sums"))), "");
  EXPECT_TRUE(refuses(server_.url("/m.zip?checksum=file:file://" + at("sums")),
                      "must not refer to local files", true));
  EXPECT_EQ(server_.requests().back().target, "/m.zip");
  EXPECT_TRUE(refuses(server_.url("/m.zip?checksum=sha256:" + std::string(64, '0')),
                      "the sha256 checksum " + sum + ", but 000"));
  EXPECT_TRUE(refuses(server_.url("/m.zip?checksum=md5:" + sum), "is not an md5"));
  EXPECT_TRUE(refuses(server_.url("/m.zip?checksum=123"), "is not an md5"));
  EXPECT_TRUE(refuses(server_.url("/m.tgz?checksum=file:" + server_.url("/sums")), "has none for"));
  EXPECT_TRUE(refuses(server_.url("/page?checksum=" + sum), "needs an archive"));
  EXPECT_FALSE(exists("out.archive"));
}

TEST_F(HttpFetch, AHeaderOrAPageNamesTheSourceInstead) {
  detours_["/header"] = "git::https://example.com/x//sub?ref=v1";
  EXPECT_EQ(fetch(server_.url("/header?x=1")), "go to git::https://example.com/x//sub?ref=v1");
  EXPECT_EQ(server_.requests().back().target, "/header?terraform-get=1&x=1");
  EXPECT_EQ(fetch(server_.url("/page")), "go to " + server_.url("/m.zip?a=1&b=2"));
  detours_["/dir/relative"] = "../m.zip//sub";
  EXPECT_EQ(fetch(server_.url("/dir/relative")), "go to " + server_.url("/m.zip//sub"));
  detours_["/empty"] = "";
  EXPECT_TRUE(refuses(server_.url("/empty"), "names another source"));
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

TEST_F(HttpFetch, LoginsAreNotSentWhereARedirectionLeads) {
  net::TestServer other(
      [](const net::ServerRequest&) -> net::ServerReply { return {.body = kZip}; });
  net::TestServer first(
      [&](const net::ServerRequest&) { return net::redirect_to(other.url("/m.zip")); });
  EXPECT_EQ(fetch(fmt::format("http://name:secret@127.0.0.1:{}/m.zip", first.port())), "");
  EXPECT_NE(first.requests().back().header("authorization"), "");
  EXPECT_EQ(other.requests().back().header("authorization"), "");
}

TEST_F(HttpFetch, BadAnswersLeaveNothing) {
  EXPECT_TRUE(refuses(server_.url("/missing.zip"), "status 404"));
  EXPECT_TRUE(refuses(server_.url("/cut.zip"), "unexpected EOF"));
  limits_.download_bytes = 1 << 20;
  EXPECT_TRUE(refuses(server_.url("/endless.zip"), "longer than 1048576 bytes"));
  stop_.request_stop();
  EXPECT_TRUE(refuses(server_.url("/m.zip"), "interrupted"));
  for (const auto& entry : std::filesystem::directory_iterator(top_)) {
    ADD_FAILURE() << entry.path() << " was left behind";
  }
}

}  // namespace
}  // namespace tofu::fetch
