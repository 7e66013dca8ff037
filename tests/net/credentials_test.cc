#include "net/credentials.h"

#include <cstdlib>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "net/credentials_docker.h"
#include "tests/net/scratch.h"

namespace tofu::net {
namespace {

base::Hostname host(std::string name) { return {std::move(name)}; }

// What is revealed to the host itself; "none" if there is no token.
std::string token(const Credentials& credentials, const std::string& name) {
  const auto found = credentials.token(host(name));
  if (!found) return "none";
  return std::string(found->reveal_to(Origin(host(name))).value_or("(not for this host)"));
}

std::string login(const Credentials& credentials, std::string_view registry,
                  std::string_view repository) {
  const auto found = credentials.oci(registry, repository);
  if (!found) return "error: " + found.error().what;
  if (!*found) return "none";
  const auto text = [](const Secret& secret) {
    const Origin anywhere(*parse_web_url("https://example.com"));
    return std::string(secret.rescoped_to(anywhere).reveal_to(anywhere).value_or(""));
  };
  return (*found)->username + ":" + text((*found)->password) + text((*found)->access_token);
}

TEST(Credentials, ATokenBelongsToItsHostAndPort) {
  const Credentials known({.tokens = {{host("example.com"), Secret("secret")},
                                      {host("example.com:8443"), Secret("other")}}});
  EXPECT_EQ(token(known, "example.com"), "secret");
  EXPECT_EQ(token(known, "example.com:8443"), "other");
  EXPECT_EQ(token(known, "www.example.com"), "none");
  EXPECT_EQ(token(known, "example.com:80"), "none");
}

TEST(Credentials, AHelperIsAskedOnceForEachHostThatIsNotKnown) {
  const Scratch scratch;
  const std::string log = scratch.at("log");
  const std::string program = scratch.write(
      "helper", "#!/bin/sh\necho \"$@\" >>" + log + "\nprintf '{\"token\":\"for %s\"}' \"$4\"\n",
      true);
  const Credentials known(
      {.tokens = {{host("known.example"), Secret("k")}, {host("no.example"), {}}},
       .helper = TokenHelper{program, {"--x", "a b"}}});
  EXPECT_EQ(token(known, "known.example"), "k");
  EXPECT_EQ(token(known, "no.example"), "none");
  EXPECT_EQ(token(known, "a.example"), "for a.example");
  EXPECT_EQ(token(known, "a.example"), "for a.example");
  std::ifstream lines(log);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "--x a b get a.example");
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(Credentials, AHelperThatFailsOrTalksNonsenseHasNoToken) {
  const Scratch scratch;
  for (const char* script : {"exit 1", "echo nonsense", "echo '{\"token\":5}'", "echo '[]'",
                             "printf '{\"token\":\"x\"}'; exit 2", "cat /dev/zero"}) {
    const std::string program =
        scratch.write("helper", std::string("#!/bin/sh\n") + script + "\n", true);
    const Credentials known({.helper = TokenHelper{program}});
    EXPECT_EQ(token(known, "a.example"), "none") << script;
  }
  const Credentials missing({.helper = TokenHelper{scratch.at("nothing")}});
  EXPECT_EQ(token(missing, "a.example"), "none");
}

TEST(Credentials, ServicesAreThoseOfTheHostsBlock) {
  const Credentials known({.services = {{host("a.example"), {{"modules.v1", "https://m/"}}}}});
  ASSERT_NE(known.services(host("a.example")), nullptr);
  EXPECT_EQ(known.services(host("a.example"))->at("modules.v1"), "https://m/");
  EXPECT_EQ(known.services(host("b.example")), nullptr);
}

TEST(Credentials, TheLoginWithTheLongestFittingPathIsUsed) {
  const Credentials known({.oci = {{"example.com", {"domain", Secret("1")}},
                                   {"example.com/team", {"team", Secret("2")}},
                                   {"example.com/team/app", {"app", Secret("3")}},
                                   {"example.com/team", {"again", Secret("4")}},
                                   {"example.com:5000", {.access_token = Secret("t")}}}});
  EXPECT_EQ(login(known, "example.com", "other"), "domain:1");
  EXPECT_EQ(login(known, "example.com", "team"), "team:2");
  EXPECT_EQ(login(known, "example.com", "team/web"), "team:2");
  EXPECT_EQ(login(known, "example.com", "teams/app"), "domain:1");
  EXPECT_EQ(login(known, "example.com", "team/app/x"), "app:3");
  EXPECT_EQ(login(known, "example.com:5000", "team"), ":t");
  EXPECT_EQ(login(known, "example.org", "team"), "none");
}

TEST(Credentials, DockersFilesAreRead) {
  const Scratch scratch;
  const std::string file = scratch.write(
      "config.json", R"({"auths": {"a.example": {"auth": ")" + base::base64_encode("u:p:q") +
                         R"("}, "a.example/x": {"auth": ")" + base::base64_encode("v:w") +
                         R"("}, "b.example": {}, "c.example": {"auth": "%%"},
          "d.example": {"auth": ")" +
                         base::base64_encode("nocolon") + R"("},
          "https://index.docker.io/v1/": {"auth": "eDp5"}, "e.example": null}})");
  const Credentials known({.docker_files = {scratch.at("missing.json"), file}});
  EXPECT_EQ(login(known, "a.example", "y"), "u:p:q");
  EXPECT_EQ(login(known, "a.example", "x/y"), "v:w");
  for (const char* registry : {"b.example", "c.example", "d.example", "e.example"}) {
    EXPECT_EQ(login(known, registry, "y"), "none") << registry;
  }
}

TEST(Credentials, AnExplicitLoginWinsOverDockersForTheSamePlace) {
  const Scratch scratch;
  const std::string file = scratch.write("config.json", R"({"auths": {"a.example": {"auth": ")" +
                                                            base::base64_encode("d:d") + R"("}}})");
  const Credentials known({.oci = {{"a.example", {"mine", Secret("1")}}}, .docker_files = {file}});
  EXPECT_EQ(login(known, "a.example", "x"), "mine:1");
}

TEST(Credentials, ABrokenDockerFileMattersOnlyIfItWasAskedFor) {
  const Scratch scratch;
  const std::string file = scratch.write("config.json", "{ nonsense");
  EXPECT_EQ(login(Credentials({.docker_files = {file}}), "a.example", "x"), "none");
  EXPECT_TRUE(
      login(Credentials({.docker_files = {file}, .docker_files_required = true}), "a.example", "x")
          .starts_with("error: "));
}

// PATH with the scratch directory in front, so that programs are found there.
class OnPath {
 public:
  explicit OnPath(const Scratch& scratch) : before_(std::getenv("PATH")) {
    ::setenv("PATH", (scratch.path() + ":" + before_).c_str(), 1);
  }
  OnPath(const OnPath&) = delete;
  OnPath& operator=(const OnPath&) = delete;
  ~OnPath() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

TEST(Credentials, DockersHelperGetsTheRegistryOnItsInput) {
  const Scratch scratch;
  const OnPath path(scratch);
  scratch.write("docker-credential-mine",
                "#!/bin/sh\nread -r url\nprintf '{\"Username\":\"%s %s\",\"Secret\":\"s\"}' "
                "\"$1\" \"$url\"\n",
                true);
  const Credentials known({.oci = {{"", {}, "mine"}}});
  EXPECT_EQ(login(known, "a.example:5000", "x"), "get https://a.example:5000:s");
}

TEST(Credentials, DockersHelperMayHaveNoLoginButMayNotFail) {
  const Scratch scratch;
  const OnPath path(scratch);
  scratch.write("docker-credential-none",
                "#!/bin/sh\necho 'credentials not found in native keychain'\nexit 1\n", true);
  scratch.write("docker-credential-broken", "#!/bin/sh\necho locked >&2\nexit 1\n", true);
  EXPECT_EQ(login(Credentials({.oci = {{"", {}, "none"}}}), "a.example", "x"), "none");
  EXPECT_EQ(login(Credentials({.oci = {{"", {}, "broken"}}}), "a.example", "x"),
            "error: the credentials helper docker-credential-broken failed: locked");
}

TEST(OciPlace, IsARegistryWithOrWithoutRepositories) {
  for (const char* right : {"example.com", "localhost:5000", "example.com/a", "e/a-b__c/d.e_f",
                            "e/a--b", "[::1]:5000/x"}) {
    EXPECT_TRUE(check_oci_place(right)) << right;
  }
  for (const char* wrong : {"", "/a", "e/", "e/A", "e/a//b", "e/-a", "e/a-", "e/a___b", "e/a._b",
                            "e/a:tag", "e/a@sha256:00", "http://e", "e e", "e:"}) {
    EXPECT_FALSE(check_oci_place(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace tofu::net
