#include "fetch/oci_fetch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/hashes.h"
#include "fetch/oci_digest.h"
#include "fetch/oci_session.h"
#include "tests/archive/archive_bytes.h"
#include "tests/net/scratch.h"
#include "tests/net/test_server.h"

namespace tofu::fetch {
namespace {

std::string digest_of(std::string_view text) {
  return OciDigest::of_text(DigestKind::Sha256, text).to_string();
}

bool says(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

// A registry that has one package, team/module, tagged v1.
class OciFetchTest : public ::testing::Test {
 protected:
  OciFetchTest() { describe(); }

  void describe() {
    manifest_ = fmt::format(R"({{"schemaVersion":2,"mediaType":"{}","artifactType":"{}","layers":[)"
                            R"({{"mediaType":"{}","digest":"{}","size":{}}}]}})",
                            "application/vnd.oci.image.manifest.v1+json",
                            "application/vnd.opentofu.modulepkg", "archive/zip",
                            digest_of(archive_), archive_.size());
  }

  net::ServerReply registry(const net::ServerRequest& request) {
    const bool by_name = request.path() == "/v2/team/module/manifests/v1" ||
                         request.path() == "/v2/team/module/manifests/" + digest_of(manifest_);
    if (by_name) {
      return {.body = manifest_,
              .headers = {{"Content-Type", "application/vnd.oci.image.manifest.v1+json"}}};
    }
    if (request.path() == "/v2/team/module/blobs/" + digest_of(archive_)) return {.body = blob_};
    return {.status = 404};
  }

  std::string fetch(const net::TestServer& server, const std::string& rest,
                    std::string revision = {}) {
    const FetchRequest request{.address = "oci://" + server.authority() + rest,
                               .into = scratch_.at("into"),
                               .revision = std::move(revision),
                               .oci_artifact_type = "application/vnd.opentofu.modulepkg"};
    const net::Credentials credentials(sources_);
    const Fetching fetching{web_, credentials, environment_, stop_.get_token(), limits_};
    const auto package = fetch_oci(fetching, request, "http");
    EXPECT_FALSE(std::filesystem::exists(scratch_.at("into.download")));
    if (!package) {
      EXPECT_FALSE(std::filesystem::exists(request.into));
      return package.error().what;
    }
    hash_ = package->archive_hash;
    std::ifstream file(scratch_.at("into/main.tf"));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::filesystem::remove_all(request.into);
    return package->revision + " " + text;
  }

  static net::WebOptions quick() {
    net::WebOptions options;
    options.retries = 0;
    return options;
  }

  std::string archive_ = archive::Zip().add("main.tf", "hello").finish();
  std::string blob_ = archive_;  // what is served in its place
  std::string manifest_;
  std::string hash_;
  net::Scratch scratch_;
  net::CredentialSources sources_;
  std::stop_source stop_;
  net::Web web_{quick(), stop_.get_token()};
  net::EnvironmentVariable environment_ = [](std::string_view) { return std::string_view(); };
  archive::FetchLimits limits_;
};

TEST_F(OciFetchTest, APackageIsFetchedByTagAndByDigest) {
  const net::TestServer server(
      [this](const net::ServerRequest& request) { return registry(request); });
  const std::string fetched = digest_of(manifest_) + " hello";
  EXPECT_EQ(fetch(server, "/team/module?tag=v1"), fetched);
  EXPECT_EQ(hash_, "zh:" + base::sha256_hex(archive_));
  EXPECT_EQ(fetch(server, "/team/module?digest=" + digest_of(manifest_)), fetched);
  // What is locked wins over where the tag points now.
  EXPECT_EQ(fetch(server, "/team/module?tag=moved", digest_of(manifest_)), fetched);
  EXPECT_TRUE(says(fetch(server, "/team/module"), "/team/module (latest) was not found"));
}

TEST_F(OciFetchTest, AddressesAreChecked) {
  const net::TestServer server(
      [this](const net::ServerRequest& request) { return registry(request); });
  const struct {
    const char* rest;
    const char* words;
  } cases[] = {
      {"/team/module?tag=a/b", "is not a tag"},
      {"/team/module?tag=", "is not a tag"},
      {"/team/module?digest=sha256:00", "is not a digest"},
      {"/team/module?ref=x", "has no argument"},
      {"/team/module?archive=zip", "has no \"archive\" argument"},
      {"/team/module?tag=a&tag=b", "given twice"},
      {"/Team/module", "is not the name of a repository"},
      {"/team/../module", "is not the name of a repository"},
      {"/", "is not the name of a repository"},
  };
  for (const auto& each : cases) {
    const std::string told = fetch(server, each.rest);
    EXPECT_TRUE(says(told, each.words)) << each.rest << ": " << told;
  }
  EXPECT_TRUE(says(fetch(server, "/a?tag=v1&digest=" + digest_of("")), "cannot both"));
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(OciFetchTest, ContentsThatDoNotHaveTheirDigestsAreRefused) {
  const net::TestServer server([this](const net::ServerRequest& request) {
    net::ServerReply reply = registry(request);
    if (request.target.find("manifests/sha256") != std::string::npos) reply.body += " ";
    if (request.target.find("manifests/v1") != std::string::npos) {
      reply.headers.emplace_back("Docker-Content-Digest",
                                 request.query().empty() ? digest_of(manifest_) : "");
    }
    return reply;
  });
  EXPECT_TRUE(says(fetch(server, "/team/module?digest=" + digest_of(manifest_)),
                   "manifest does not have the digest"));
  blob_[blob_.size() / 2] ^= 1;
  EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "archive does not have the digest"));
  blob_ = archive_.substr(1);
  EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "archive does not have the digest"));
  blob_ = archive_ + "more";
  EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "longer than"));
}

TEST_F(OciFetchTest, OtherThingsThanPackagesAreRefused) {
  const net::TestServer server(
      [this](const net::ServerRequest& request) { return registry(request); });
  const std::string right = manifest_;
  const auto changed = [&](std::string_view from, std::string_view to) {
    manifest_ = right;
    manifest_.replace(manifest_.find(from), from.size(), to);
    return fetch(server, "/team/module?tag=v1");
  };
  EXPECT_TRUE(says(changed("image.manifest", "image.index"), "not an image manifest"));
  EXPECT_TRUE(says(changed("modulepkg", "provider"), "its artifact type is"));
  EXPECT_TRUE(says(changed("archive/zip", "archive/rar"), "0 layers"));
  EXPECT_TRUE(says(changed("\"size\":", "\"size\":-"), "no size"));
  EXPECT_TRUE(says(changed("\"size\":", "\"size\":99999999999999"), "larger than"));
  EXPECT_TRUE(says(changed("sha256:", "sha256:../../"), "is not a digest"));
  EXPECT_TRUE(says(changed("{", "["), "is not a JSON object"));
  const std::string layer = right.substr(right.find("{\"mediaType\":\"archive"));
  EXPECT_TRUE(
      says(changed("\"layers\":[", "\"layers\":[" + layer.substr(0, layer.find('}') + 1) + ","),
           "2 layers"));
}

TEST_F(OciFetchTest, AnEndlessManifestIsCut) {
  const net::TestServer server([](const net::ServerRequest&) -> net::ServerReply {
    return {.body = std::string(100'000, ' '), .endless = true};
  });
  EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "longer than"));
}

TEST_F(OciFetchTest, ANameAndPasswordAreSentOnceTheRegistryAsks) {
  const net::TestServer server([this](const net::ServerRequest& request) -> net::ServerReply {
    if (request.header("authorization") == "Basic " + base::base64_encode("me:pw")) {
      return registry(request);
    }
    return {.status = 401, .headers = {{"WWW-Authenticate", "Basic realm=\"x\""}}};
  });
  EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "refuses access"));
  sources_.oci = {{server.authority() + "/team", {"me", net::Secret("pw")}}};
  EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "hello"));
  EXPECT_EQ(server.requests().at(1).header("authorization"), "");
  sources_.oci = {{server.authority() + "/other", {"me", net::Secret("pw")}}};
  EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "refuses access"));
}

TEST_F(OciFetchTest, ATokenIsAskedForAndSentToTheRegistryOnly) {
  const net::TestServer storage(
      [this](const net::ServerRequest&) -> net::ServerReply { return {.body = blob_}; });
  const net::TestServer server([&](const net::ServerRequest& request) -> net::ServerReply {
    if (request.path() == "/token") return {.body = R"({"token":"t1"})"};
    if (request.header("authorization") != "Bearer t1") {
      return {.status = 401,
              .headers = {{"WWW-Authenticate",
                           "Bearer realm=\"http://" + request.header("host") +
                               "/token\",service=\"the service\",scope=\"repository:team/"
                               "module:pull\""}}};
    }
    if (request.path().find("/blobs/") != std::string::npos) return net::redirect_to(storage.url());
    return registry(request);
  });
  sources_.oci = {{server.authority(), {"me", net::Secret("pw")}}};
  EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "hello"));
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 4u);  // refused, token, manifest, blob
  EXPECT_EQ(requests[1].query(), "scope=repository%3Ateam%2Fmodule%3Apull&service=the%20service");
  EXPECT_EQ(requests[1].header("authorization"), "Basic " + base::base64_encode("me:pw"));
  EXPECT_EQ(storage.requests().at(0).header("authorization"), "");
}

TEST_F(OciFetchTest, ARefreshTokenIsExchangedAndAnAccessTokenUsed) {
  const net::TestServer server([&](const net::ServerRequest& request) -> net::ServerReply {
    if (request.path() == "/token") return {.body = R"({"access_token":"fresh"})"};
    if (request.header("authorization") != "Bearer fresh") {
      return {.status = 401,
              .headers = {{"WWW-Authenticate",
                           "Bearer realm=\"http://" + request.header("host") + "/token\""}}};
    }
    return registry(request);
  });
  sources_.oci = {{server.authority(), {.refresh_token = net::Secret("r&r")}}};
  EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "hello"));
  EXPECT_TRUE(says(server.requests().at(1).body, "refresh_token=r%26r&"));
  sources_.oci = {{server.authority(), {.access_token = net::Secret("fresh")}}};
  EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "hello"));
}

TEST_F(OciFetchTest, TokensAreNotAskedForInOddPlaces) {
  std::string realm;
  const net::TestServer server([&](const net::ServerRequest&) -> net::ServerReply {
    return {.status = 401, .headers = {{"WWW-Authenticate", "Bearer realm=\"" + realm + "\""}}};
  });
  sources_.oci = {{server.authority(), {"me", net::Secret("pw")}}};
  for (const char* odd : {"http://169.254.169.254/latest", "http://10.0.0.1/", "http://[::1]/",
                          "http://192.168.0.1/", "http://[::ffff:10.0.0.1]/"}) {
    realm = odd;
    EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "an address of this machine")) << odd;
  }
  for (const char* odd : {"file:///etc/passwd", "", "nonsense"}) {
    realm = odd;
    EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "getting a token")) << odd;
  }
}

TEST_F(OciFetchTest, ALoginIsNotGivenToWhereTheRegistryRedirects) {
  const net::TestServer other([](const net::ServerRequest&) -> net::ServerReply {
    return {.status = 401, .headers = {{"WWW-Authenticate", "Basic realm=\"x\""}}};
  });
  const net::TestServer server(
      [&](const net::ServerRequest&) { return net::redirect_to(other.url()); });
  sources_.oci = {{server.authority(), {"me", net::Secret("pw")}},
                  {other.authority(), {"me", net::Secret("pw")}}};
  EXPECT_TRUE(says(fetch(server, "/team/module?tag=v1"), "refuses access"));
  for (const net::ServerRequest& request : other.requests()) {
    EXPECT_EQ(request.header("authorization"), "");
  }
}

TEST(OciChallenge, IsReadWhateverItsSpelling) {
  const auto bearer =
      parse_challenge("bEARER  Realm=\"https://a/\\\"b\" , service=x,scope=\"p:q r\",other=1");
  ASSERT_TRUE(bearer);
  EXPECT_TRUE(bearer->bearer);
  EXPECT_EQ(bearer->realm, "https://a/\"b");
  EXPECT_EQ(bearer->service, "x");
  EXPECT_EQ(bearer->scope, "p:q r");
  EXPECT_FALSE(parse_challenge("Basic")->bearer);
  for (const char* broken :
       {"Bearer realm=\"", "Bearer realm=\"x\\", "Bearer =", "Bearer ,,=,", "Bearer a"}) {
    EXPECT_TRUE(parse_challenge(broken)) << broken;
  }
  EXPECT_FALSE(parse_challenge("Negotiate x"));
  EXPECT_FALSE(parse_challenge(""));
}

TEST(OciDigest, IsReadInFull) {
  EXPECT_TRUE(OciDigest::parse(digest_of("x")));
  EXPECT_TRUE(OciDigest::parse(OciDigest::of_text(DigestKind::Sha512, "x").to_string()));
  for (const std::string& wrong :
       {std::string(), std::string("sha256"), std::string("sha256:"), digest_of("x") + "0",
        "sha256:" + std::string(64, 'A'), "md5:" + std::string(32, 'a')}) {
    EXPECT_FALSE(OciDigest::parse(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace tofu::fetch
