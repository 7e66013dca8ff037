#include "install/package_fetcher.h"

#include <fmt/format.h>

#include "base/hashes.h"
#include "tests/archive/archive_bytes.h"
#include "tests/fetch/fetch_fixture.h"
#include "tests/net/test_server.h"

namespace tofu::install {
namespace {

const std::string kZip = archive::Zip()
                             .add("main.tf", "zipped")
                             .add("sub/x.tf", "x")
                             .add("sub/inner/y.tf", "y")
                             .finish();

class PackageDetours : public fetch::FetchFixture {
 protected:
  base::Result<fetch::FetchedPackage> perform(const fetch::Fetching& fetching,
                                              const fetch::FetchRequest& request) override {
    PackageFetcher fetcher(fetching.web, fetching.credentials, fetching.environment, fetching.stop,
                           fetching.limits);
    return fetcher.fetch({.source = {request.address},
                          .into = request.into,
                          .revision = request.revision,
                          .untrusted = request.untrusted});
  }

  net::ServerReply answer(const net::ServerRequest& request) {
    const std::string path = request.path();
    if (path == "/m.zip") return {.body = kZip};
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

TEST_F(PackageDetours, AHeaderOrAPageNamesTheSource) {
  detours_["/header"] = server_.url("/m.zip//sub");
  ASSERT_EQ(fetch(server_.url("/header?x=1")), "");
  EXPECT_EQ(read("out/x.tf"), "x");
  EXPECT_FALSE(exists("out/main.tf")) << "the directory is the package, not what is around it";
  EXPECT_EQ(package_.archive_hash, "zh:" + base::sha256_hex(kZip));
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

TEST_F(PackageDetours, ADetourMayNotLeadToFilesOrRoundInCircles) {
  write("secret/main.tf", "secret");
  detours_["/file"] = "file://" + at("secret");
  EXPECT_TRUE(refuses(server_.url("/file"), "must not refer to local files"));
  detours_["/git"] = "git::file://" + at("secret");
  EXPECT_TRUE(refuses(server_.url("/git"), "must not use git's transport"));
  detours_["/ext"] = "git::ext::sh -c touch% " + at("made");
  EXPECT_TRUE(refuses(server_.url("/ext"), "never used"));
  detours_["/path"] = at("secret");  // a path of the server, that is
  EXPECT_TRUE(refuses(server_.url("/path"), "404"));
  detours_["/registry"] = "a/b/c";
  EXPECT_TRUE(refuses(server_.url("/registry"), "not a URL"));
  detours_["/empty"] = "";
  EXPECT_TRUE(refuses(server_.url("/empty"), "names another source"));
  detours_["/circle"] = server_.url("/circle");
  const std::size_t before = server_.requests().size();
  EXPECT_TRUE(refuses(server_.url("/circle"), "too many servers in a row"));
  EXPECT_LE(server_.requests().size() - before, 11u);
  EXPECT_FALSE(exists("made"));
}

TEST_F(PackageDetours, LoginsAreNotPassedOnToOtherServers) {
  net::TestServer other(
      [](const net::ServerRequest&) -> net::ServerReply { return {.body = kZip}; });
  net::TestServer first([&](const net::ServerRequest& request) -> net::ServerReply {
    if (request.path() == "/m.zip") return net::redirect_to(other.url("/m.zip"));
    return {.status = 204, .headers = {{"X-Terraform-Get", other.url("/m.zip")}}};
  });
  for (const char* path : {"m.zip", "page"}) {
    EXPECT_EQ(fetch(fmt::format("http://name:secret@127.0.0.1:{}/{}", first.port(), path)), "");
    EXPECT_NE(first.requests().back().header("authorization"), "");
    EXPECT_EQ(other.requests().back().header("authorization"), "");
  }
}

TEST_F(PackageDetours, TheDefaultLoginOfNetrcIsNotForHostsThatServersName) {
  net::TestServer server([&](const net::ServerRequest& request) -> net::ServerReply {
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

TEST_F(PackageDetours, ADirectoryThatIsThereIsNotTouched) {
  write("dir/main.tf", "main");
  write("out/mine", "mine");
  net::Web web(options_, stop_.get_token());
  const net::Credentials credentials;
  PackageFetcher fetcher(
      web, credentials, [](std::string_view) { return std::string_view(); }, stop_.get_token());
  const auto fetched = fetcher.fetch({.source = {"file://" + at("dir")}, .into = at("out")});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().what, "the directory for the package already exists");
  EXPECT_EQ(read("out/mine"), "mine");
}

}  // namespace
}  // namespace tofu::install
