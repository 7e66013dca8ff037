#include "net/web.h"

#include <algorithm>
#include <cstdarg>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <set>
#include <thread>
#include <utility>

#include "base/hashes.h"
#include "net/curl_library.h"
#include "net/proxies.h"
#include "net/web_transfer.h"
#include "net/web_url.h"
#include "tests/archive/archive_bytes.h"
#include "tests/net/scratch.h"
#include "tests/net/test_server.h"

namespace tofu::net {
namespace {

using std::chrono::milliseconds;

Secret secret(std::string text, const TestServer& server) {
  return {std::move(text), Origin(*parse_web_url(server.url()))};
}

class WebTest : public ::testing::Test {
 protected:
  static WebOptions quick() {
    WebOptions options;
    options.user_agent = "test/1";
    options.retry_wait = milliseconds(1);
    options.retries = 0;
    return options;
  }
  std::string problem(const WebRequest& request) {
    const auto reply = web_.ask(request);
    return reply ? "status " + std::to_string(reply->status) : reply.error().what;
  }
  std::string problem(const WebRequest& request, const std::string& path) {
    const auto reply = web_.download(request, path);
    return reply ? "status " + std::to_string(reply->status) : reply.error().what;
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::stop_source stop_;
  Web web_{quick(), stop_.get_token()};
  Scratch scratch_;
};

TEST_F(WebTest, AnAnswerHasItsStatusHeadersAndBody) {
  const TestServer server([](const ServerRequest& request) -> ServerReply {
    return {.status = request.target == "/a?b=c" ? 200 : 404,
            .body = "hello",
            .headers = {{"X-Thing", " of it "}}};
  });
  const auto reply = web_.ask({.url = server.url("/a?b=c"), .headers = {{"X-Ours", "1"}}});
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, "hello");
  EXPECT_EQ(reply->header("x-thing"), "of it");
  EXPECT_EQ(reply->header("x-other"), "");
  EXPECT_EQ(reply->url, server.url("/a?b=c"));
  EXPECT_EQ(server.requests()[0].header("user-agent"), "test/1");
  EXPECT_EQ(server.requests()[0].header("x-ours"), "1");
  EXPECT_EQ(problem({.url = server.url("/x")}), "status 404");
}

TEST_F(WebTest, ABodyIsPosted) {
  const TestServer server([](const ServerRequest& request) -> ServerReply {
    return {.body = request.method + " " + request.body};
  });
  const auto reply =
      web_.ask({.url = server.url(), .method = "POST", .body = secret("a=b", server)});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "POST a=b");
}

TEST_F(WebTest, TheBodyOfASuccessGoesIntoTheFileAndOthersDoNot) {
  const TestServer server([](const ServerRequest& request) -> ServerReply {
    if (request.path() == "/empty") return {};
    return {.status = request.path() == "/good" ? 200 : 500, .body = request.path()};
  });
  const std::string file = scratch_.at("file");
  EXPECT_EQ(problem({.url = server.url("/good")}, file), "status 200");
  EXPECT_EQ(content(file), "/good");
  EXPECT_EQ(problem({.url = server.url("/empty")}, scratch_.at("empty")), "status 200");
  EXPECT_TRUE(std::filesystem::exists(scratch_.at("empty")));
  const auto bad = web_.download({.url = server.url("/bad")}, scratch_.at("other"));
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->body, "/bad");
  EXPECT_FALSE(std::filesystem::exists(scratch_.at("other")));
}

TEST_F(WebTest, AFileThatIsThereIsNotTouched) {
  const TestServer server([](const ServerRequest&) -> ServerReply { return {.body = "new"}; });
  const std::string file = scratch_.write("file", "old");
  EXPECT_NE(problem({.url = server.url()}, file).find("File exists"), std::string::npos);
  EXPECT_EQ(content(file), "old");
}

TEST_F(WebTest, ASecretOfAnotherOriginIsNotSentAtAll) {
  const TestServer owner([](const ServerRequest&) -> ServerReply { return {}; });
  const TestServer other([](const ServerRequest&) -> ServerReply { return {}; });
  const std::string refused = "a secret that belongs elsewhere is not sent to " + other.url("");
  EXPECT_EQ(
      problem({.url = other.url(), .private_headers = {{"Authorization", secret("token", owner)}}}),
      refused);
  EXPECT_EQ(problem({.url = other.url(), .method = "POST", .body = secret("password=x", owner)}),
            refused);
  const AwsSignature signature{
      .key_id = "KEY", .secret = secret("hidden", owner), .region = "eu-west-1"};
  EXPECT_EQ(problem({.url = other.url(), .signature = signature}), refused);
  EXPECT_EQ(problem({.url = other.url(), .private_headers = {{"X", Secret("nobody's")}}}), refused);
  EXPECT_TRUE(other.requests().empty());
}

TEST_F(WebTest, RedirectionsAreFollowedAndSecretsStayWithTheirOrigin) {
  const TestServer other([](const ServerRequest& request) -> ServerReply {
    if (request.path() == "/back") return redirect_to(request.query());
    return {.body = "other"};
  });
  const TestServer server([&](const ServerRequest& request) -> ServerReply {
    if (request.path() == "/relative") return redirect_to("there?x");
    if (request.path() == "/away") return redirect_to(other.url("/in"), 307);
    if (request.path() == "/round") return redirect_to(other.url("/back?" + request.query()));
    return {.body = "here"};
  });
  const auto ask = [&](const std::string& target) {
    return web_.ask({.url = server.url(target),
                     .headers = {{"X-Open", "1"}},
                     .private_headers = {{"Authorization", secret("Bearer secret", server)}}});
  };
  EXPECT_EQ(ask("/relative")->url, server.url("/there?x"));
  EXPECT_EQ(server.requests().back().header("authorization"), "Bearer secret");
  EXPECT_EQ(ask("/away")->body, "other");
  EXPECT_EQ(other.requests().back().header("authorization"), "");
  EXPECT_EQ(other.requests().back().header("x-open"), "1");
  // Nor does a secret come back with a detour.
  EXPECT_EQ(ask("/round?" + server.url("/end"))->body, "here");
  EXPECT_EQ(server.requests().back().path(), "/end");
  EXPECT_EQ(server.requests().back().header("authorization"), "");
}

TEST_F(WebTest, TheDefaultLoginOfNetrcStaysWithTheFirstOrigin) {
  // The same server by another name, as two hosts have different names.
  std::string elsewhere;
  const TestServer server([&](const ServerRequest& request) -> ServerReply {
    if (request.path() == "/away") return redirect_to(elsewhere);
    if (request.path() == "/here") return redirect_to("/in");
    return {};
  });
  elsewhere = fmt::format("http://localhost:{}/in", server.port());
  const auto seen = [&](const std::string& target, const std::string& netrc) {
    EXPECT_TRUE(web_.ask({.url = server.url(target), .netrc = scratch_.write("netrc", netrc)}));
    return server.requests().back().header("authorization");
  };
  EXPECT_EQ(seen("/in", "default login me password p\n"), "Basic bWU6cA==");
  EXPECT_EQ(seen("/here", "default login me password p\n"), "Basic bWU6cA==");
  EXPECT_EQ(seen("/away", "default login me password p\n"), "");
  // A login that names the host belongs to it.
  EXPECT_EQ(seen("/away", "machine localhost login me password p\n"), "Basic bWU6cA==");
  EXPECT_EQ(seen("/away", "machine 127.0.0.1 login me password p\n"), "");
}

TEST_F(WebTest, ABodyIsNotSentToAnotherOrigin) {
  const TestServer other([](const ServerRequest&) -> ServerReply { return {.body = "other"}; });
  int status = 0;
  const TestServer server([&](const ServerRequest& request) -> ServerReply {
    if (request.path() == "/same") return redirect_to("/in", status);
    if (request.path() == "/in") return {.body = request.method + " " + request.body};
    return redirect_to(other.url(), status);
  });
  for (const int each : {307, 308}) {
    status = each;
    const WebRequest request{
        .url = server.url(), .method = "POST", .body = secret("password=x", server)};
    EXPECT_NE(problem(request).find("is not sent to another host"), std::string::npos);
    EXPECT_TRUE(other.requests().empty());
    const auto same = web_.ask(
        {.url = server.url("/same"), .method = "POST", .body = secret("password=x", server)});
    ASSERT_TRUE(same);
    EXPECT_EQ(same->body, "POST password=x");
  }
  // These turn into a request without a body.
  for (const int each : {301, 302, 303}) {
    status = each;
    const auto reply =
        web_.ask({.url = server.url(), .method = "POST", .body = secret("password=x", server)});
    ASSERT_TRUE(reply);
    EXPECT_EQ(other.requests().back().method, "GET");
    EXPECT_EQ(other.requests().back().body, "");
  }
}

TEST_F(WebTest, ABodyInPiecesIsSentAgainWhereThatIsNeededAndNowhereElse) {
  const TestServer other([](const ServerRequest&) -> ServerReply { return {.body = "other"}; });
  std::atomic<int> asked = 0;
  const TestServer server([&](const ServerRequest& request) -> ServerReply {
    if (request.path() == "/same") return redirect_to("/in", 307);
    if (request.path() == "/away") return redirect_to(other.url(), 307);
    if (request.path() == "/busy" && ++asked == 1) return {.status = 503};
    return {.body = request.method + " " + request.body};
  });
  const std::string owner(700'000, 'x');
  base::TextPieces body;
  body.append("begin ");
  body.append_lent(owner);
  body.append(" end");
  WebOptions options = quick();
  options.retries = 1;
  Web web(options, stop_.get_token());
  for (const char* path : {"/in", "/same", "/busy"}) {
    const auto reply = web.ask({.url = server.url(path), .method = "PUT", .large_body = &body});
    ASSERT_TRUE(reply) << path << ": " << reply.error().what;
    EXPECT_EQ(reply->body, "PUT begin " + owner + " end") << path;
  }
  EXPECT_EQ(asked, 2);
  EXPECT_NE(problem({.url = server.url("/away"), .method = "PUT", .large_body = &body})
                .find("is not sent to another host"),
            std::string::npos);
  EXPECT_TRUE(other.requests().empty());
}

TEST_F(WebTest, RedirectionsEndSomewhere) {
  const TestServer server([](const ServerRequest&) { return redirect_to("/again"); });
  EXPECT_NE(problem({.url = server.url()}).find("redirects too often"), std::string::npos);
  EXPECT_EQ(server.requests().size(), 11u);
}

TEST_F(WebTest, RedirectionsToOtherSchemesAreRefused) {
  for (const char* target : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"}) {
    const TestServer server([&](const ServerRequest&) { return redirect_to(target); });
    EXPECT_NE(problem({.url = server.url()}).find("only http and https"), std::string::npos);
  }
}

// https on loopback, whose certificate is trusted by web_.
class SecureWebTest : public WebTest {
 protected:
  SecureWebTest() {
    WebOptions options = quick();
    options.authorities_file = scratch_.write("authorities.pem", identity_.certificate());
    trusting_ = std::make_unique<Web>(options, stop_.get_token());
  }
  TestIdentity identity_;
  std::unique_ptr<Web> trusting_;
};

TEST_F(SecureWebTest, WithoutAuthoritiesNobodyIsTrusted) {
  const TestServer server([](const ServerRequest&) -> ServerReply { return {.body = "safe"}; },
                          &identity_);
  WebOptions options = quick();
  options.authorities_file = scratch_.at("missing.pem");
  const auto reply = Web(options, stop_.get_token()).ask({.url = server.url()});
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().what.find("ca-certificates"), std::string::npos) << reply.error().what;
  EXPECT_EQ(server.requests().size(), 0u);
}

TEST_F(SecureWebTest, CertificatesAreVerified) {
  const TestServer server([](const ServerRequest&) -> ServerReply { return {.body = "safe"}; },
                          &identity_);
  const auto reply = trusting_->ask({.url = server.url()});
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->body, "safe");
  EXPECT_NE(problem({.url = server.url()}).find("tls: failed to verify certificate"),
            std::string::npos);
  // The certificate is for the address, not for the name.
  const auto other =
      trusting_->ask({.url = "https://localhost:" + std::to_string(server.port()) + "/"});
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().what.find("failed to verify"), std::string::npos);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(SecureWebTest, HttpsIsNeverLeftForHttp) {
  const TestServer plain([](const ServerRequest&) -> ServerReply { return {}; });
  const TestServer server(
      [&](const ServerRequest&) { return redirect_to(plain.url("/?token=hidden")); }, &identity_);
  const auto reply = trusting_->ask({.url = server.url()});
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().what.find("redirects from https to http"), std::string::npos);
  EXPECT_EQ(reply.error().what.find("hidden"), std::string::npos);
  EXPECT_TRUE(plain.requests().empty());
}

TEST_F(SecureWebTest, SecretsAreNotSentFromHttpToHttps) {
  const TestServer server([](const ServerRequest&) -> ServerReply { return {}; }, &identity_);
  const TestServer plain([&](const ServerRequest&) { return redirect_to(server.url()); });
  ASSERT_TRUE(
      trusting_->ask({.url = plain.url(),
                      .private_headers = {{"Authorization", secret("Bearer secret", plain)}}}));
  EXPECT_EQ(server.requests().at(0).header("authorization"), "");
}

TEST_F(WebTest, ProxiesAreNotForThisMachine) {
  const TestServer server([](const ServerRequest&) -> ServerReply { return {.body = "direct"}; });
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  const auto near = web_.ask({.url = server.url()});
  const std::string far = problem({.url = "http://example.invalid/"});
  ::unsetenv("http_proxy");
  ASSERT_TRUE(near) << near.error().what;
  EXPECT_EQ(near->body, "direct");
  EXPECT_EQ(far.find("no such host"), std::string::npos) << far;
}

TEST_F(WebTest, ProxiesAreReadAsProgramsInGoReadThem) {
  std::map<std::string, std::string, std::less<>> variables;
  const auto proxies = [&] {
    return proxies_of([&](std::string_view name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string_view() : std::string_view(found->second);
    });
  };
  EXPECT_EQ(proxies().http + proxies().https + proxies().excluded, "");
  variables = {{"http_proxy", "a"}, {"https_proxy", "b"}, {"no_proxy", "c"}};
  EXPECT_EQ(proxies().http + proxies().https + proxies().excluded, "abc");
  variables.insert({{"HTTP_PROXY", "A"}, {"HTTPS_PROXY", "B"}, {"NO_PROXY", "C"}});
  EXPECT_EQ(proxies().http + proxies().https + proxies().excluded, "ABC");
  // Of a CGI program it says what a client put into a header.
  variables.insert({"REQUEST_METHOD", "GET"});
  EXPECT_EQ(proxies().http + proxies().https + proxies().excluded, "aBC");
}

TEST(WebProxies, ListsOfExcludedHostsAreReadAsByGo) {
  const auto without = [](std::string_view excluded, std::string_view url) {
    return is_without_proxy(excluded, *base::parse_url(url));
  };
  const std::pair<std::string_view, std::string_view> excluded[] = {
      {"*", "https://a.example"},
      {"b, A.example", "https://a.EXAMPLE/x"},
      {"example", "https://a.example"},
      {".example", "https://a.example"},
      {"*.example", "https://a.example"},
      {"a.example:443", "https://a.example"},
      {"a.example:8443", "https://a.example:8443"},
      {"10.0.0.0/8", "http://10.9.8.7"},
      {"10.0.0.1", "http://10.0.0.1:80"},
      {"10.0.0.1:81", "http://10.0.0.1:81"},
      {"fd00::/9", "http://[fd7f::1]"},
      {"[fd00::1]:80", "http://[fd00::1]"},
      {"fd00::1", "http://[fd00:0::1]"},
      {"", "http://localhost:3000"},
      {"", "http://127.9.9.9"},
      {"", "http://[::1]"},
  };
  for (const auto& [list, url] : excluded) EXPECT_TRUE(without(list, url)) << list << " " << url;
  const std::pair<std::string_view, std::string_view> others[] = {
      {"", "https://a.example"},
      {",, ,", "https://a.example"},
      {".a.example", "https://a.example"},
      {"*.a.example", "https://a.example"},
      {"a.example", "https://ba.example"},
      {"a.example:80", "https://a.example"},
      {":443", "https://a.example"},
      {"10.0.0.0/8", "http://11.0.0.1"},
      {"10.0.0.0/33", "http://10.0.0.1"},
      {"10.0.0.0/8", "http://10.example"},
      {"0.0.0.0/0", "http://[fd00::1]"},
      {"", "http://127.example.com"},
      {"", "http://[fd00::1]"},
  };
  for (const auto& [list, url] : others) EXPECT_FALSE(without(list, url)) << list << " " << url;
}

TEST_F(WebTest, AProxyOfTheOptionsIsUsed) {
  const TestServer server([](const ServerRequest&) -> ServerReply { return {.body = "proxied"}; });
  WebOptions options = quick();
  options.proxy.http = server.url("");
  Web web(options, stop_.get_token());
  const auto reply = web.ask({.url = "http://example.invalid/x"});
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->body, "proxied");
  EXPECT_EQ(server.requests().at(0).target, "http://example.invalid/x");
}

// A libcurl that does not know one of its options.
CURLoption refused_option = {};
std::set<CURLoption> seen_options;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvarargs"  // an enumeration is passed as it is, with libcurl's ABI
CURLcode set_unless_refused(CURL* handle, CURLoption option, ...) {
  seen_options.insert(option);
  if (option == refused_option) return CURLE_UNKNOWN_OPTION;
  std::va_list arguments;
  va_start(arguments, option);
  const auto& set = curl_library()->easy_setopt;
  CURLcode code = CURLE_OK;
  if (option < CURLOPTTYPE_OBJECTPOINT) {
    code = set(handle, option, va_arg(arguments, long));
  } else if (option >= CURLOPTTYPE_OFF_T && option < CURLOPTTYPE_BLOB) {
    code = set(handle, option, va_arg(arguments, curl_off_t));
  } else {
    code = set(handle, option, va_arg(arguments, void*));
  }
  va_end(arguments);
  return code;
}
#pragma GCC diagnostic pop

TEST_F(WebTest, NothingIsSentWhenLibcurlRefusesAnOption) {
  ASSERT_TRUE(curl_library());
  CurlLibrary curl = *curl_library();
  curl.easy_setopt = &set_unless_refused;
  const TestServer server([](const ServerRequest&) -> ServerReply { return {}; });
  const WebRequest request{.url = server.url(),
                           .method = "PUT",
                           .headers = {{"X-A", "1"}},
                           .body = secret("text", server),
                           .signature = AwsSignature{.key_id = "KEY",
                                                     .secret = secret("hidden", server),
                                                     .session_token = secret("session", server),
                                                     .region = "eu-west-1"}};
  const auto ask = [&](CURLoption refused) {
    refused_option = refused;
    CURL* handle = curl.easy_init();
    bool again = false;
    const WebTransfer transfer{*parse_web_url(request.url), request, nullptr};
    auto reply = run_transfer(curl, handle, transfer, quick(), stop_.get_token(), again);
    curl.easy_cleanup(handle);
    return reply;
  };
  ASSERT_TRUE(ask({}));
  ASSERT_EQ(server.requests().size(), 1U);
  const std::set<CURLoption> used = seen_options;
  EXPECT_TRUE(used.contains(CURLOPT_AWS_SIGV4));
  for (const CURLoption option : used) {
    const auto reply = ask(option);
    ASSERT_FALSE(reply) << option;
    EXPECT_NE(reply.error().what.find("libcurl refuses its option"), std::string::npos);
  }
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(RedirectUrl, HttpsIsNeverLeftForHttp) {
  const auto from = parse_web_url("https://example.com/a");
  ASSERT_TRUE(from);
  EXPECT_TRUE(redirect_url(*from, "https://example.org/b"));
  EXPECT_TRUE(redirect_url(*from, "//example.org/b"));
  const auto refused = redirect_url(*from, "http://example.com/a?token=secret");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("from https to http"), std::string::npos);
  EXPECT_EQ(refused.error().what.find("secret"), std::string::npos);
}

TEST(WebUrl, IsTakenApart) {
  const auto url = parse_web_url("HTTPS://User:pw@Example.COM:8443/a/b%20c?d=e#f");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "example.com");
  EXPECT_EQ(url->authority(), "example.com:8443");
  EXPECT_EQ(url->path, "/a/b%20c");
  EXPECT_EQ(url->query, "d=e");
  EXPECT_EQ(url->user(), "User");
  EXPECT_EQ(parse_web_url("http://a/@b:c")->userinfo, "");
  EXPECT_EQ(parse_web_url("http://a:080")->to_string(), "http://a/");
  EXPECT_EQ(parse_web_url("https://B\u00FCcher.example/")->host, "xn--bcher-kva.example");
  EXPECT_EQ(parse_web_url("http://[2001:DB8::1]:81/")->authority(), "[2001:db8::1]:81");
  const auto origin = [](const char* text) { return Origin(*parse_web_url(text)); };
  EXPECT_EQ(origin("http://a"), origin("http://A:80/x"));
  EXPECT_NE(origin("http://a"), origin("https://a"));
  EXPECT_NE(origin("http://a"), origin("http://a:81"));
}

TEST(WebUrl, RelativeOnesAreResolved) {
  const auto base = parse_web_url("https://example.com/a/b/c?q");
  ASSERT_TRUE(base);
  const struct {
    const char* reference;
    const char* text;
  } cases[] = {
      {"d", "https://example.com/a/b/d"},  {"./d?e", "https://example.com/a/b/d?e"},
      {"../d", "https://example.com/a/d"}, {"../../../../d", "https://example.com/d"},
      {"/d", "https://example.com/d"},     {"//x/d", "https://x/d"},
      {"http://x/../d", "http://x/d"},
  };
  for (const auto& each : cases) {
    const auto resolved = resolve_web_url(*base, each.reference);
    ASSERT_TRUE(resolved) << each.reference;
    EXPECT_EQ(resolved->to_string(), each.text);
  }
}

TEST(WebUrl, HostileOnesAreRefusedQuickly) {
  for (const std::string& text :
       {std::string("http://"), std::string("nonsense:"), std::string("http://a b/"),
        std::string("http://a/\r\nX: y"), "http://a/" + std::string(100'000, 'x'),
        "http://a" + std::string(1'000, '/'), std::string("file:///x"),
        std::string("http://a:99999999/"), std::string()}) {
    EXPECT_FALSE(parse_web_url(text)) << text.substr(0, 40);
  }
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "../";
  EXPECT_FALSE(resolve_web_url(*parse_web_url("http://a/"), deep));
}

// Readers of URLs disagree about these, and a secret could reach the other host.
TEST(WebUrl, HostsThatCouldBeReadInTwoWaysAreRefused) {
  for (const char* text :
       {"http://a@b@c/", "http://a%2Fb/", "http://a\\@b/", "http://a..b/", "http://a,b/",
        "http://[::1]x/", "http://[v1.x]/", "http://[::1%25eth0]/", "http://a:0/", "http:///b",
        "http://a;b/", "http:a/b", "http://xn--a\u00FC.example/"}) {
    EXPECT_FALSE(parse_web_url(text)) << text;
  }
}

TEST_F(WebTest, AnswersThatNeverEndAreCut) {
  const TestServer server([](const ServerRequest& request) -> ServerReply {
    return {.status = request.path() == "/bad" ? 404 : 200,
            .body = std::string(10'000, 'x'),
            .endless = true};
  });
  EXPECT_NE(problem({.url = server.url(), .limit = 1'000'000}).find("longer than 1000000 bytes"),
            std::string::npos);
  EXPECT_NE(problem({.url = server.url(), .limit = 1'000'000}, scratch_.at("file"))
                .find("longer than 1000000 bytes"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(scratch_.at("file")));
  const auto refusal = web_.ask({.url = server.url("/bad")});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 404);
  EXPECT_LE(refusal->body.size(), 64u * 1024);
}

TEST_F(WebTest, ATooLongAnswerIsRefusedByItsLength) {
  const TestServer server(
      [](const ServerRequest&) -> ServerReply { return {.body = std::string(100, 'x')}; });
  EXPECT_NE(problem({.url = server.url(), .limit = 99}).find("longer than 99 bytes"),
            std::string::npos);
  EXPECT_EQ(problem({.url = server.url(), .limit = 100}), "status 200");
}

TEST_F(WebTest, APackedAnswerIsUnpackedWithinItsLimit) {
  const std::string packed = archive::gzip(std::string(1'000'000, 'x'));
  const TestServer server([&](const ServerRequest&) -> ServerReply {
    return {.body = packed, .headers = {{"Content-Encoding", "gzip"}}};
  });
  const auto reply = web_.ask({.url = server.url(), .limit = 1'000'000});
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->body.size(), 1'000'000u);
  EXPECT_EQ(server.requests().at(0).header("accept-encoding"), "gzip");
  EXPECT_NE(problem({.url = server.url(), .limit = 999'999}).find("longer than"),
            std::string::npos);
  // What goes into a file stays as it is.
  EXPECT_EQ(problem({.url = server.url()}, scratch_.at("file")), "status 200");
  EXPECT_EQ(content(scratch_.at("file")), packed);
}

TEST_F(WebTest, HeadersThatNeverEndAreCut) {
  const TestServer server([](const ServerRequest&) {
    ServerReply reply;
    for (int i = 0; i < 1'000; ++i) reply.headers.emplace_back("X-A", std::string(1'000, 'x'));
    return reply;
  });
  EXPECT_NE(problem({.url = server.url()}).find("headers"), std::string::npos);
}

TEST_F(WebTest, AnAnswerThatIsCutOffIsAnError) {
  const TestServer server([](const ServerRequest&) -> ServerReply {
    return {.body = std::string(1'000, 'x'), .cut_after = 10};
  });
  EXPECT_NE(problem({.url = server.url()}).find("unexpected EOF"), std::string::npos);
  EXPECT_NE(problem({.url = server.url()}, scratch_.at("file")).find("unexpected EOF"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(scratch_.at("file")));
}

TEST_F(WebTest, FailuresAreToldInTheWordsThatProgramsLookFor) {
  const TestServer silent([](const ServerRequest&) -> ServerReply { return {.silent = true}; });
  EXPECT_NE(problem({.url = silent.url()}).find("EOF"), std::string::npos);
  const std::string refused_connection = problem({.url = "http://127.0.0.1:1/?secret"});
  EXPECT_NE(refused_connection.find("asking 127.0.0.1:1 failed"), std::string::npos)
      << refused_connection;
  EXPECT_NE(refused_connection.find("connection refused"), std::string::npos) << refused_connection;
  EXPECT_EQ(refused_connection.find("secret"), std::string::npos) << refused_connection;
  EXPECT_NE(problem({.url = "http://nothing.invalid/"}).find("no such host"), std::string::npos);
}

TEST_F(WebTest, ASlowAnswerIsNotWaitedForForever) {
  const TestServer server(
      [](const ServerRequest&) -> ServerReply { return {.delay = std::chrono::seconds(60)}; });
  WebOptions options = quick();
  options.answer_timeout = milliseconds(50);
  Web web(options, stop_.get_token());
  const auto reply = web.ask({.url = server.url()});
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().what.find("Client.Timeout exceeded while awaiting headers"),
            std::string::npos)
      << reply.error().what;
}

TEST_F(WebTest, ADownloadWithoutAnyByteIsGivenUp) {
  const TestServer server(
      [](const ServerRequest&) -> ServerReply { return {.delay = std::chrono::seconds(60)}; });
  WebOptions options = quick();
  options.stall_timeout = milliseconds(50);
  Web web(options, stop_.get_token());
  const auto reply = web.download({.url = server.url()}, scratch_.at("file"));
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().what.find("context deadline exceeded"), std::string::npos);
}

TEST_F(WebTest, ACancelledRequestEnds) {
  const TestServer server(
      [](const ServerRequest&) -> ServerReply { return {.delay = std::chrono::seconds(60)}; });
  std::thread canceller([this, &server] {
    while (server.requests().empty()) std::this_thread::sleep_for(milliseconds(1));
    stop_.request_stop();
  });
  EXPECT_NE(problem({.url = server.url()}).find("interrupted"), std::string::npos);
  canceller.join();
}

TEST_F(WebTest, EachRequestIsAskedWhatEndsIt) {
  std::atomic<int> asked = 0;
  const TestServer server([&](const ServerRequest&) -> ServerReply {
    ++asked;
    return {.status = 503};
  });
  std::stop_source stopped;
  stopped.request_stop();
  bool may_stop = false;
  WebOptions options = quick();
  options.retries = 1;
  options.request_stop = [&] { return may_stop ? stopped.get_token() : std::stop_token(); };
  Web web(options, stopped.get_token());
  EXPECT_EQ(web.ask({.url = server.url()})->status, 503);
  EXPECT_EQ(asked, 2);
  // Also while it waits for another try.
  may_stop = true;
  (void)web.ask({.url = server.url()}).ok();
  EXPECT_LE(asked, 3);
}

TEST_F(WebTest, WhatFailsForNowIsTriedAgain) {
  for (const int status : {429, 500, 503}) {
    std::atomic<int> asked = 0;
    const TestServer server([&](const ServerRequest&) -> ServerReply {
      return {.status = ++asked == 1 ? status : 200, .headers = {{"Retry-After", "0"}}};
    });
    WebOptions options = quick();
    options.retries = 1;
    Web web(options, stop_.get_token());
    EXPECT_EQ(web.ask({.url = server.url()})->status, 200);
    EXPECT_EQ(asked, 2);
  }
}

TEST_F(WebTest, WhatFailsForGoodIsNotTriedAgain) {
  for (const auto& [status, tries] : {std::pair(404, 1), {401, 1}, {501, 1}, {503, 3}}) {
    const TestServer server(
        [status = status](const ServerRequest&) -> ServerReply { return {.status = status}; });
    WebOptions options = quick();
    options.retries = 2;
    Web web(options, stop_.get_token());
    EXPECT_EQ(web.ask({.url = server.url()})->status, status);
    EXPECT_EQ(server.requests().size(), static_cast<std::size_t>(tries)) << status;
  }
}

TEST_F(WebTest, ABrokenConnectionIsTriedAgain) {
  std::atomic<int> asked = 0;
  const TestServer server([&](const ServerRequest&) -> ServerReply {
    const bool first = ++asked == 1;
    return {.body = "whole", .cut_after = first ? std::optional<std::size_t>(2) : std::nullopt};
  });
  WebOptions options = quick();
  options.retries = 1;
  Web web(options, stop_.get_token());
  ASSERT_TRUE(web.download({.url = server.url()}, scratch_.at("file")));
  EXPECT_EQ(content(scratch_.at("file")), "whole");
}

TEST_F(WebTest, RequestsAfterAFailedNameLookupAreSent) {
  // A label that is too long is refused without any name server.
  const WebRequest unknown{.url = "http://" + std::string(64, 'a') + ".invalid/"};
  EXPECT_NE(problem(unknown).find("no such host"), std::string::npos);
  const TestServer server([](const ServerRequest&) -> ServerReply { return {}; });
  EXPECT_EQ(problem({.url = server.url()}), "status 200");

  WebOptions options = quick();
  options.retries = 1;
  Web web(options, stop_.get_token());
  const auto reply = web.ask(unknown);
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().what.find("no such host"), std::string::npos) << reply.error().what;
}

TEST_F(WebTest, HeadersWithLineBreaksAreRefused) {
  EXPECT_NE(
      problem({.url = "http://127.0.0.1:1", .headers = {{"X", "a\r\nY: b"}}}).find("line break"),
      std::string::npos);
}

TEST_F(WebTest, ManyThreadsMayAsk) {
  const TestServer server(
      [](const ServerRequest& request) -> ServerReply { return {.body = request.target}; });
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      const std::string target = "/" + std::to_string(i);
      const auto reply = web_.ask({.url = server.url(target)});
      if (reply && reply->body == target) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 16);
}

TEST_F(WebTest, LoginsOfNetrcGoToTheirHost) {
  const TestServer server([](const ServerRequest&) -> ServerReply { return {}; });
  const std::string netrc = scratch_.write("netrc", "machine 127.0.0.1 login me password p\n");
  ASSERT_TRUE(web_.ask({.url = server.url(), .netrc = netrc}));
  EXPECT_EQ(server.requests().back().header("authorization"), "Basic bWU6cA==");
  ASSERT_TRUE(web_.ask({.url = server.url()}));
  EXPECT_EQ(server.requests().back().header("authorization"), "");
}

std::string hmac(const std::string& key, const std::string& text) {
  unsigned char out[32];
  unsigned size = sizeof out;
  ::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), out, &size);
  return {reinterpret_cast<char*>(out), size};
}

// The signature of version 4 as Amazon describes it, for the key "hidden".
std::string expected_signature(const ServerRequest& request) {
  const std::string names = "host;x-amz-content-sha256;x-amz-date;x-amz-security-token";
  std::string canonical = request.method + "\n" + request.path() + "\n" + request.query() + "\n";
  for (const char* name : {"host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"}) {
    canonical += std::string(name) + ":" + request.header(name) + "\n";
  }
  canonical += "\n" + names + "\n" + request.header("x-amz-content-sha256");
  const std::string time = request.header("x-amz-date");
  const std::string day = time.substr(0, 8);
  const std::string text = "AWS4-HMAC-SHA256\n" + time + "\n" + day +
                           "/eu-west-1/s3/aws4_request\n" + base::sha256_hex(canonical);
  const std::string key =
      hmac(hmac(hmac(hmac("AWS4hidden", day), "eu-west-1"), "s3"), "aws4_request");
  std::string hex;
  for (const unsigned char c : hmac(key, text)) hex += fmt::format("{:02x}", c);
  return "Signature=" + hex;
}

TEST_F(WebTest, RequestsAreSignedForTheFirstOriginOnly) {
  const TestServer other([](const ServerRequest&) -> ServerReply { return {}; });
  const TestServer server([&](const ServerRequest& request) -> ServerReply {
    return request.path() == "/away" ? redirect_to(other.url()) : ServerReply{};
  });
  const AwsSignature signature{.key_id = "KEY",
                               .secret = secret("hidden", server),
                               .session_token = secret("session", server),
                               .region = "eu-west-1"};
  ASSERT_TRUE(web_.ask({.url = server.url("/bucket/a%20key?a=1&b=x%2Fy"), .signature = signature}));
  const ServerRequest signed_request = server.requests().back();
  EXPECT_TRUE(
      signed_request.header("authorization").starts_with("AWS4-HMAC-SHA256 Credential=KEY/"))
      << signed_request.header("authorization");
  EXPECT_NE(signed_request.header("authorization").find("/eu-west-1/s3/aws4_request"),
            std::string::npos);
  EXPECT_EQ(signed_request.header("x-amz-security-token"), "session");
  EXPECT_EQ(signed_request.header("x-amz-content-sha256"), base::sha256_hex(""));
  EXPECT_TRUE(signed_request.header("authorization").ends_with(expected_signature(signed_request)))
      << signed_request.header("authorization");
  const base::TextPieces pieces("a body");
  WebRequest whole{.url = server.url("/bucket/key"), .method = "PUT", .signature = signature};
  WebRequest in_pieces = whole;
  whole.body = secret("a body", server);
  in_pieces.large_body = &pieces;
  WebRequest hashed = in_pieces;
  hashed.body_sha256 = base::sha256_hex("a body");
  for (const WebRequest& request : {whole, in_pieces, hashed}) {
    ASSERT_TRUE(web_.ask(request));
    const ServerRequest put = server.requests().back();
    EXPECT_EQ(put.body, "a body");
    EXPECT_EQ(put.header("x-amz-content-sha256"), base::sha256_hex("a body"));
    EXPECT_TRUE(put.header("authorization").ends_with(expected_signature(put)))
        << put.header("authorization");
  }
  ASSERT_TRUE(web_.ask({.url = server.url("/away"), .signature = signature}));
  EXPECT_EQ(other.requests().back().header("authorization"), "");
  EXPECT_EQ(other.requests().back().header("x-amz-security-token"), "");
}

}  // namespace
}  // namespace tofu::net
