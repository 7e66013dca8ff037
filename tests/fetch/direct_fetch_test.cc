#include "fetch/direct_fetch.h"

#include <gtest/gtest.h>

#include "base/hashes.h"
#include "tests/archive/archive_bytes.h"
#include "tests/net/scratch.h"
#include "tests/net/test_server.h"

namespace tofu::fetch {
namespace {

const base::Hostname kHost{"registry.example"};

class DirectFetchTest : public ::testing::Test {
 protected:
  std::string fetch(const std::string& url, std::optional<base::Hostname> token_of = {}) {
    const FetchRequest request{.address = url,
                               .into = scratch_.at("into"),
                               .direct = true,
                               .token_of = std::move(token_of)};
    const Fetching fetching{web_, credentials_, environment_, stop_.get_token(), limits_};
    const auto package = fetch_direct(fetching, request);
    EXPECT_FALSE(std::filesystem::exists(scratch_.at("into.archive")));
    if (!package) return package.error().what;
    hash_ = package->archive_hash;
    std::ifstream file(scratch_.at("into/main.tf"));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::filesystem::remove_all(request.into);
    return text;
  }

  static net::WebOptions quick() {
    net::WebOptions options;
    options.retries = 0;
    return options;
  }

  net::Scratch scratch_;
  std::string hash_;
  std::stop_source stop_;
  net::Web web_{quick(), stop_.get_token()};
  const net::Credentials credentials_{
      net::CredentialSources{.tokens = {{kHost, net::Secret("secret")}}}};
  net::EnvironmentVariable environment_ = [](std::string_view) { return std::string_view(); };
  archive::FetchLimits limits_;
};

TEST_F(DirectFetchTest, TheKindOfTheArchiveShowsInItsBytes) {
  const std::string tar_bytes = archive::tar({{.name = "main.tf", .content = "hello"}});
  for (const std::string& archive :
       {archive::Zip().add("main.tf", "hello").finish(), archive::gzip(tar_bytes),
        archive::bzip2(tar_bytes), archive::xz(tar_bytes)}) {
    const net::TestServer server(
        [&](const net::ServerRequest&) -> net::ServerReply { return {.body = archive}; });
    EXPECT_EQ(fetch(server.url("/package")), "hello");
    EXPECT_EQ(hash_, "zh:" + base::sha256_hex(archive));
  }
  for (const std::string& other :
       {std::string(), std::string("<html>"), std::string("P"), tar_bytes}) {
    const net::TestServer server(
        [&](const net::ServerRequest&) -> net::ServerReply { return {.body = other}; });
    EXPECT_NE(fetch(server.url("/package.zip")).find("neither a zip"), std::string::npos);
  }
}

TEST_F(DirectFetchTest, TheTokenGoesAlongOnlyIfItIsWanted) {
  const std::string archive = archive::Zip().add("main.tf", "hello").finish();
  const net::TestServer storage(
      [&](const net::ServerRequest&) -> net::ServerReply { return {.body = archive}; });
  const net::TestServer server([&](const net::ServerRequest& request) -> net::ServerReply {
    return request.path() == "/away" ? net::redirect_to(storage.url())
                                     : net::ServerReply{.body = archive};
  });
  EXPECT_EQ(fetch(server.url("/x")), "hello");
  EXPECT_EQ(server.requests().back().header("authorization"), "");
  EXPECT_EQ(fetch(server.url("/x"), kHost), "hello");
  EXPECT_EQ(server.requests().back().header("authorization"), "Bearer secret");
  EXPECT_EQ(fetch(server.url("/away"), kHost), "hello");
  EXPECT_EQ(storage.requests().back().header("authorization"), "");
}

TEST_F(DirectFetchTest, RefusalsAndEndlessPackagesAreErrors) {
  limits_.download_bytes = 100'000;
  const net::TestServer server([](const net::ServerRequest& request) -> net::ServerReply {
    if (request.path() == "/endless") return {.body = std::string(5'000, 'x'), .endless = true};
    return {.status = 403};
  });
  EXPECT_NE(fetch(server.url("/x")).find("status 403"), std::string::npos);
  EXPECT_NE(fetch(server.url("/endless")).find("longer than"), std::string::npos);
}

}  // namespace
}  // namespace tofu::fetch
