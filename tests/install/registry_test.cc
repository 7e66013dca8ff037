#include "install/registry.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <thread>

#include "install/registry_reply.h"
#include "tests/net/scratch.h"
#include "tests/net/test_server.h"

namespace tofu::install {
namespace {

const base::Hostname kHost{"registry.example"};
const addrs::RegistrySource kModule{kHost, "space", "name", "sys"};

// A registry on loopback, reached through what a `host` block would say.
class RegistryTest : public ::testing::Test {
 protected:
  void serve(net::TestServer::Handler handler) {
    server_ = std::make_unique<net::TestServer>(std::move(handler));
    use({{"modules.v1", server_->url("/v1/")}});
  }
  void use(net::HostServices services) {
    net::CredentialSources sources;
    sources.tokens[kHost] = net::Secret("secret");
    sources.services[kHost] = std::move(services);
    credentials_ = std::make_unique<net::Credentials>(std::move(sources));
    net::WebOptions options;
    options.retries = 0;
    web_ = std::make_unique<net::Web>(options, stop_.get_token());
    registry_ = std::make_unique<Registry>(*web_, *credentials_, "1.2.3");
  }
  void answer(net::ServerReply reply) {
    serve([reply](const net::ServerRequest&) { return reply; });
  }

  std::string versions() {
    const auto found = registry_->versions(kModule);
    if (!found) return "error: " + found.error().what;
    std::string out;
    for (const addrs::Version& each : *found) out += each.to_string() + " ";
    return out;
  }
  std::string location(const addrs::RegistrySource& module = kModule) {
    const auto found = registry_->location(module, addrs::Version(1, 0, 0));
    if (!found) return "error: " + found.error().what;
    std::string out = found->source.package;
    if (!found->source.subdir.empty()) out += " //" + found->source.subdir;
    if (found->direct) out += found->with_token ? " direct with token" : " direct";
    return out;
  }

  std::stop_source stop_;
  std::unique_ptr<net::TestServer> server_;
  std::unique_ptr<net::Credentials> credentials_;
  std::unique_ptr<net::Web> web_;
  std::unique_ptr<Registry> registry_;
};

bool says(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

TEST_F(RegistryTest, VersionsComeNewestFirst) {
  answer({.body = R"({"modules":[{"versions":[{"version":"1.2.0"},{"version":"1.10.0"},
      {"version":"nonsense"},{},{"version":7},{"version":"1.10.0-beta1"},{"version":"v0.9"}]},
      {"versions":[{"version":"9.9.9"}]}]})"});
  EXPECT_EQ(versions(), "1.10.0 1.10.0-beta1 1.2.0 0.9.0 ");
  const net::ServerRequest request = server_->requests().at(0);
  EXPECT_EQ(request.target, "/v1/space/name/sys/versions");
  EXPECT_EQ(request.header("authorization"), "Bearer secret");
  EXPECT_EQ(request.header("x-terraform-version"), "1.2.3");
}

TEST_F(RegistryTest, EachQuestionGoesOverTheWireOnce) {
  serve([](const net::ServerRequest&) -> net::ServerReply {
    return {.body = R"({"modules":[{"versions":[{"version":"1.0.0"}]}]})",
            .delay = std::chrono::milliseconds(50)};
  });
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { right += versions() == "1.0.0 "; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(server_->requests().size(), 1u);
}

TEST_F(RegistryTest, ALocationIsAHeaderOrAnAnswersBody) {
  const struct {
    net::ServerReply reply;
    const char* location;
  } cases[] = {
      {{.status = 204, .headers = {{"X-Terraform-Get", "git::https://g.example/r?ref=v1"}}},
       "git::https://g.example/r?ref=v1"},
      {{.body = R"({"location":"https://h.example/p.zip//sub/dir"})"},
       "https://h.example/p.zip //sub/dir"},
      {{.body = "{}", .headers = {{"X-Terraform-Get", "https://h.example/p.tgz"}}},
       "https://h.example/p.tgz"},
      {{.body = R"({"location":"github.com/a/b"})"}, "git::https://github.com/a/b.git"},
      {{.body = R"({"location":"https://h.example/x","use_registry_credentials":true})"},
       "https://h.example/x direct with token"},
      {{.body = R"({"location":"https://h.example/x","use_registry_credentials":false})"},
       "https://h.example/x direct"},
      // The token would be readable on the way.
      {{.body = R"({"location":"http://h.example/x","use_registry_credentials":true})"},
       "http://h.example/x direct"},
  };
  for (const auto& each : cases) {
    answer(each.reply);
    EXPECT_EQ(location(), each.location);
    EXPECT_EQ(server_->requests().at(0).target, "/v1/space/name/sys/1.0.0/download");
  }
}

TEST_F(RegistryTest, RelativeLocationsAreResolvedAgainstTheQuestion) {
  const struct {
    const char* given;
    const char* found;
  } cases[] = {
      {"/p.zip", "/p.zip"},
      {"./p.zip?x=1", "/v1/space/name/sys/1.0.0/p.zip?x=1"},
      {"../../p.tgz//sub", "/v1/space/name/p.tgz //sub"},
  };
  for (const auto& each : cases) {
    answer({.status = 204, .headers = {{"X-Terraform-Get", each.given}}});
    EXPECT_EQ(location(), server_->url(each.found)) << each.given;
  }
  answer({.body = R"({"location":"p.zip","use_registry_credentials":true})"});
  EXPECT_EQ(location(), server_->url("/v1/space/name/sys/1.0.0/p.zip direct with token"));
}

TEST_F(RegistryTest, HostileLocationsAreRefused) {
  std::string deep = "/";
  for (int i = 0; i < 5'000; ++i) deep += "../";
  for (const std::string& given :
       {std::string(), std::string("file:///etc"), std::string("git::file:///etc"),
        std::string("../../../../../../../etc/passwd%0a\tx"), std::string("space/name/sys"),
        std::string("https://h.example/x//../.."), deep, "/" + std::string(60'000, 'a'),
        std::string("./a b")}) {
    answer({.status = 204, .headers = {{"X-Terraform-Get", given}}});
    EXPECT_TRUE(location().starts_with("error: ")) << given.substr(0, 60) << location();
  }
  for (const char* body :
       {"", "[]", "nonsense", R"({"location":"x","use_registry_credentials":"yes"})",
        R"({"location":"ftp://h/x","use_registry_credentials":true})",
        R"({"location":"https://h/x#f","use_registry_credentials":true})",
        R"({"location":"","use_registry_credentials":true})", R"({"location":7})"}) {
    answer({.body = body});
    EXPECT_TRUE(location().starts_with("error: ")) << body << location();
  }
}

TEST_F(RegistryTest, RefusalsAreToldApart) {
  const struct {
    int status;
    const char* words;
  } cases[] = {
      {404, "has no module space/name/sys (not found)"},
      {401, "refuses access"},
      {403, "the token that is known for it is not good"},
      {429, "cannot answer about module space/name/sys now (status 429)"},
      {503, "cannot answer about module space/name/sys now (status 503)"},
      {418, "with status 418"},
      {423, "with status 423 (Locked)"},
  };
  for (const auto& each : cases) {
    answer({.status = each.status});
    EXPECT_TRUE(says(versions(), each.words)) << versions();
  }
  answer({.status = 404});
  EXPECT_TRUE(says(location(), "has no version 1.0.0 of space/name/sys")) << location();
  for (const char* body : {"", "{}", "[]", R"({"modules":[]})", R"({"modules":{}})"}) {
    answer({.body = body});
    EXPECT_TRUE(says(versions(), "is not understood")) << versions();
  }
}

TEST_F(RegistryTest, AnEndlessAnswerIsCut) {
  answer({.body = std::string(100'000, ' '), .endless = true});
  EXPECT_TRUE(says(versions(), "longer than")) << versions();
}

TEST_F(RegistryTest, AHostMayHaveNoRegistryOrAnotherOne) {
  use({});
  EXPECT_TRUE(says(versions(), "registry.example does not offer the service")) << versions();
  use({{"modules.v2", "https://x.example/"}});
  EXPECT_TRUE(says(versions(), "only in other versions")) << versions();
  use({{"modules.v1", ""}});
  EXPECT_TRUE(says(versions(), "only in other versions")) << versions();
}

TEST_F(RegistryTest, AddressesOfServicesAreChecked) {
  for (const char* address :
       {"ftp://x.example/", "https://user:pw@x.example/", "file:///x", "https://x.example/a b/"}) {
    use({{"modules.v1", address}});
    EXPECT_TRUE(versions().starts_with("error: the address of the service")) << versions();
    EXPECT_FALSE(says(versions(), "pw"));
  }
}

TEST(ServiceDiscovery, TheDocumentHasToBeAnObjectOfJson) {
  const auto read = [](std::string type, std::string body) {
    return services_in({200, "https://registry.example/", {{"Content-Type", type}}, body});
  };
  const auto services = read("Application/JSON; charset=utf-8",
                             R"({"modules.v1":"/v1/","login.v1":{"client":"x"},"x":null})");
  ASSERT_TRUE(services);
  EXPECT_EQ(*services, (net::HostServices{{"modules.v1", "/v1/"}, {"login.v1", ""}, {"x", ""}}));
  EXPECT_TRUE(says(read("text/html", "{}").error().what, "text/html"));
  for (const std::string& body :
       {std::string(), std::string("[]"), std::string("7"), std::string("{"),
        std::string(500'000, '['), std::string("{\"a\":\"\xFF")}) {
    EXPECT_FALSE(read("application/json", body)) << body.substr(0, 20);
  }
}

TEST_F(RegistryTest, AServiceWithoutASlashAtItsEndGetsOne) {
  serve([](const net::ServerRequest& request) -> net::ServerReply {
    return {.status = request.path() == "/api/v1/space/name/sys/versions" ? 200 : 404,
            .body = R"({"modules":[{"versions":[{"version":"1.0.0"}]}]})"};
  });
  use({{"modules.v1", server_->url("/api/v1")}});
  EXPECT_EQ(versions(), "1.0.0 ");
}

TEST_F(RegistryTest, TheTokenIsNotSentAfterARedirectionToAnotherPort) {
  const net::TestServer other([](const net::ServerRequest&) -> net::ServerReply {
    return {.body = R"({"modules":[{"versions":[{"version":"1.0.0"}]}]})"};
  });
  serve([&](const net::ServerRequest& request) {
    return net::redirect_to(other.url(request.target));
  });
  EXPECT_EQ(versions(), "1.0.0 ");
  EXPECT_EQ(server_->requests().at(0).header("authorization"), "Bearer secret");
  EXPECT_EQ(other.requests().at(0).header("authorization"), "");
}

// A registry whose host is asked for its services, over https on loopback.
class DiscoveryTest : public ::testing::Test {
 protected:
  std::string versions(const net::TestServer& server) {
    net::WebOptions options;
    options.retries = 0;
    options.authorities_file = scratch_.write("authorities.pem", identity_.certificate());
    net::Web web(options, stop_.get_token());
    const base::Hostname host{server.authority()};
    const net::Credentials credentials({.tokens = {{host, net::Secret("secret")}}});
    Registry registry(web, credentials);
    const auto found = registry.versions({host, "a", "b", "c"});
    return found ? "found " + std::to_string(found->size()) : found.error().what;
  }
  static net::ServerReply document(std::string services) {
    return {.body = std::move(services), .headers = {{"Content-Type", "application/json"}}};
  }
  static net::ServerReply one_version() {
    return {.body = R"({"modules":[{"versions":[{"version":"1.0.0"}]}]})"};
  }

  net::Scratch scratch_;
  net::TestIdentity identity_;
  std::stop_source stop_;
};

TEST_F(DiscoveryTest, ServicesAreFoundBesideTheDocumentAndElsewhere) {
  const net::TestServer elsewhere([](const net::ServerRequest&) { return one_version(); },
                                  &identity_);
  std::string services = R"({"modules.v1":"/api/modules"})";
  const net::TestServer server(
      [&](const net::ServerRequest& request) {
        return request.path() == "/.well-known/terraform.json" ? document(services) : one_version();
      },
      &identity_);
  EXPECT_EQ(versions(server), "found 1");
  EXPECT_EQ(server.requests().at(0).header("authorization"), "Bearer secret");
  EXPECT_EQ(server.requests().at(1).target, "/api/modules/a/b/c/versions");
  EXPECT_EQ(server.requests().at(1).header("authorization"), "Bearer secret");
  // The host says that its registry is there, so the token is meant for it, too.
  services = R"({"modules.v1":")" + elsewhere.url("/m/") + R"("})";
  EXPECT_EQ(versions(server), "found 1");
  EXPECT_EQ(elsewhere.requests().at(0).target, "/m/a/b/c/versions");
  EXPECT_EQ(elsewhere.requests().at(0).header("authorization"), "Bearer secret");
}

TEST_F(DiscoveryTest, TheTokenIsNotSentInTheClear) {
  const net::TestServer plain([](const net::ServerRequest&) { return one_version(); });
  const net::TestServer server(
      [&](const net::ServerRequest&) {
        return document(R"({"modules.v1":")" + plain.url("/m/") + R"("})");
      },
      &identity_);
  EXPECT_EQ(versions(server), "found 1");
  EXPECT_EQ(plain.requests().at(0).header("authorization"), "");
}

TEST_F(DiscoveryTest, TheDocumentMayBeElsewhereButTheTokenStays) {
  const net::TestServer other(
      [](const net::ServerRequest& request) {
        return request.path() == "/doc" ? document(R"({"modules.v1":"m/"})") : one_version();
      },
      &identity_);
  const net::TestServer server(
      [&](const net::ServerRequest&) { return net::redirect_to(other.url("/doc")); }, &identity_);
  EXPECT_EQ(versions(server), "found 1");
  EXPECT_EQ(other.requests().at(0).header("authorization"), "");
  EXPECT_EQ(other.requests().at(1).target, "/m/a/b/c/versions");
}

TEST_F(DiscoveryTest, HostileDocumentsAreRefused) {
  const std::string deep = R"({"modules.v1":)" + std::string(200'000, '[');
  const struct {
    net::ServerReply reply;
    const char* words;
  } cases[] = {
      {{.status = 404}, "does not offer the service"},
      {{.status = 500}, "status 500"},
      {{.body = "{}"}, "not application/json"},
      {document("nonsense"), "not a JSON object"},
      {document(deep), "not a JSON object"},
      {document(std::string(2'000'000, ' ')), "longer than 1048576 bytes"},
      {{.body = std::string(10'000, ' '),
        .headers = {{"Content-Type", "application/json"}},
        .endless = true},
       "longer than 1048576 bytes"},
      {document(R"({"modules.v1":"file:///etc/"})"), "only http and https"},
      {document(R"({"modules.v1":"https://u:p@x.example/"})"), "password"},
      {document(R"({"modules.v1":")" + std::string(900'000, 'a') + R"("})"), "too long"},
      {net::redirect_to("http://127.0.0.1:1/"), "from https to http"},
      {{.silent = true}, "failed: "},
  };
  for (const auto& each : cases) {
    const net::TestServer server([&](const net::ServerRequest&) { return each.reply; }, &identity_);
    const std::string told = versions(server);
    EXPECT_TRUE(says(told, each.words)) << told << " but not " << each.words;
  }
}

TEST_F(RegistryTest, AHostThatCannotBeReachedSaysSo) {
  net::CredentialSources sources;
  credentials_ = std::make_unique<net::Credentials>(std::move(sources));
  net::WebOptions options;
  options.retries = 0;
  web_ = std::make_unique<net::Web>(options, stop_.get_token());
  Registry registry(*web_, *credentials_);
  const auto found = registry.versions({base::Hostname{"127.0.0.1:1"}, "a", "b", "c"});
  ASSERT_FALSE(found);
  EXPECT_TRUE(says(found.error().what, "finding the services of 127.0.0.1:1 failed"));
  EXPECT_TRUE(says(found.error().what, "connection refused"));
}

}  // namespace
}  // namespace tofu::install
