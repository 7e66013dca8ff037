#include "identity/google_credentials.h"

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/url.h"
#include "tests/identity/cloud_fixture.h"
#include "tests/identity/rsa_key.h"

namespace tofu::identity {
namespace {

constexpr const char* kService = "https://storage.googleapis.com";

class GoogleCredentials : public CloudFixture {
 protected:
  // The token, "anonymous", or the error.
  std::string find() {
    const auto token = find_google_token(cloud_, origin(kService), "scope/read");
    if (!token) return "error: " + token.error().what;
    return *token ? revealed(**token, kService) : "anonymous";
  }
  void use_file(std::string_view text) {
    environment_["GOOGLE_APPLICATION_CREDENTIALS"] = scratch_.write("key.json", text);
  }
  static std::string quoted(std::string_view text) {
    std::string out;
    base::append_json_string(out, text);
    return out;
  }
  // The value of a field of a form.
  static std::string field(const net::ServerRequest& request, std::string_view name) {
    for (const auto& [key, value] : base::parse_url_query(request.body)) {
      if (key == name) return value;
    }
    return {};
  }

  net::TestServer server_{[this](const net::ServerRequest& request) { return answer(request); }};
  net::ServerReply answer(const net::ServerRequest& request) {
    if (request.path() == "/impersonate:generateAccessToken") {
      return {.body = R"({"accessToken":"of account"})"};
    }
    if (request.path() == "/subject") {
      return {.status = request.header("x-key") == "k" ? 200 : 403,
              .body = R"({"jwt":"subject by url"})"};
    }
    if (request.path().starts_with("/computeMetadata/")) {
      const bool asked = request.header("metadata-flavor") == "Google";
      return {.status = asked ? 200 : 403, .body = R"({"access_token":"of machine"})"};
    }
    return {.body = R"({"access_token":"fresh","expires_in":3599})"};
  }
};

TEST_F(GoogleCredentials, WithoutAnySourceRequestsAreAnonymous) { EXPECT_EQ(find(), "anonymous"); }

TEST_F(GoogleCredentials, ATokenOfTheEnvironmentIsUsedAsItIs) {
  environment_["GOOGLE_OAUTH_ACCESS_TOKEN"] = "given";
  EXPECT_EQ(find(), "given");
}

TEST_F(GoogleCredentials, AServiceAccountSignsForAToken) {
  const RsaKey key;
  use_file(fmt::format(R"({{"type":"service_account","client_email":"me@example.com",
      "private_key_id":"k1","private_key":{},"token_uri":"{}"}})",
                       quoted(key.private_pem()), server_.url("/token")));
  EXPECT_EQ(find(), "fresh");
  const net::ServerRequest request = server_.requests().at(0);
  EXPECT_EQ(field(request, "grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  const std::string assertion = field(request, "assertion");
  EXPECT_TRUE(key.signed_it(assertion));
  const std::size_t dot = assertion.find('.');
  EXPECT_EQ(RsaKey::decoded(assertion.substr(0, dot)), R"({"alg":"RS256","typ":"JWT","kid":"k1"})");
  const std::string claims =
      RsaKey::decoded(assertion.substr(dot + 1, assertion.rfind('.') - dot - 1));
  EXPECT_TRUE(claims.starts_with(fmt::format(
      R"({{"iss":"me@example.com","scope":"scope/read","aud":"{}","iat":)", server_.url("/token"))))
      << claims;
}

TEST_F(GoogleCredentials, AUserRefreshesTheirToken) {
  const std::string text = fmt::format(
      R"({{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r/1",
      "token_uri":"{}"}})",
      server_.url("/token"));
  scratch_.write(".config/gcloud/application_default_credentials.json", text);
  EXPECT_EQ(find(), "fresh");
  EXPECT_EQ(server_.requests().at(0).body,
            "client_id=c&client_secret=s&grant_type=refresh_token&refresh_token=r%2F1");
  environment_.erase("HOME");
  environment_["GOOGLE_CREDENTIALS"] = text;
  EXPECT_EQ(find(), "fresh");
}

TEST_F(GoogleCredentials, AnExternalAccountExchangesItsToken) {
  scratch_.write("subject", "jwt of cluster\n");
  const std::string start = fmt::format(
      R"({{"type":"external_account","audience":"//iam/pool","subject_token_type":"jwt",
      "token_url":"{}",)",
      server_.url("/sts"));
  use_file(start + fmt::format(R"("credential_source":{{"file":"{}"}}}})", scratch_.at("subject")));
  EXPECT_EQ(find(), "fresh");
  EXPECT_EQ(field(server_.requests().at(0), "subject_token"), "jwt of cluster");
  EXPECT_EQ(field(server_.requests().at(0), "scope"), "scope/read");

  use_file(start +
           fmt::format(R"("service_account_impersonation_url":"{}","credential_source":{{"url":"{}",
      "headers":{{"X-Key":"k"}},"format":{{"type":"json","subject_token_field_name":"jwt"}}}}}})",
                       server_.url("/impersonate:generateAccessToken"), server_.url("/subject")));
  EXPECT_EQ(find(), "of account");
  const auto requests = server_.requests();
  EXPECT_EQ(field(requests.at(requests.size() - 2), "subject_token"), "subject by url");
  EXPECT_EQ(requests.back().header("authorization"), "Bearer fresh");
  EXPECT_EQ(requests.back().body, R"({"scope":["scope/read"]})");
}

TEST_F(GoogleCredentials, AProgramPrintsTheSubjectTokenIfTheUserAllowsIt) {
  use_file(fmt::format(
      R"({{"type":"external_account","token_url":"{}","credential_source":
      {{"executable":{{"command":"echo '{{\"success\":true,\"id_token\":\"printed\"}}'"}}}}}})",
      server_.url("/sts")));
  environment_["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"] = "1";
  EXPECT_EQ(find(), "fresh");
  EXPECT_EQ(field(server_.requests().at(0), "subject_token"), "printed");
}

TEST_F(GoogleCredentials, ASignedRequestToAwsProvesWhoAsks) {
  environment_["AWS_ACCESS_KEY_ID"] = "AK";
  environment_["AWS_SECRET_ACCESS_KEY"] = "very secret";
  environment_["AWS_SESSION_TOKEN"] = "session";
  environment_["AWS_REGION"] = "eu-west-1";
  use_file(fmt::format(
      R"({{"type":"external_account","audience":"//iam/pool","token_url":"{}","credential_source":
      {{"environment_id":"aws1","regional_cred_verification_url":
      "https://sts.{{region}}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"}}}})",
      server_.url("/sts")));
  EXPECT_EQ(find(), "fresh");
  const std::string token = field(server_.requests().at(0), "subject_token");
  const std::string text = base::unescape_url(token, false).value_or("");
  for (const char* part :
       {R"("url":"https://sts.eu-west-1.amazonaws.com/?Action=GetCallerIdentity\u0026)",
        R"({"key":"host","value":"sts.eu-west-1.amazonaws.com"})",
        R"({"key":"x-amz-security-token","value":"session"})",
        R"({"key":"x-goog-cloud-target-resource","value":"//iam/pool"})", "Credential=AK/",
        "/eu-west-1/sts/aws4_request",
        "SignedHeaders=host;x-amz-date;x-amz-security-token;x-goog-cloud-target-resource"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  EXPECT_EQ(text.find("very secret"), std::string::npos);
}

TEST_F(GoogleCredentials, MachinesOfGoogleHaveAServer) {
  environment_["GCE_METADATA_HOST"] = server_.authority();
  EXPECT_EQ(find(), "of machine");
  EXPECT_EQ(server_.requests().at(0).target,
            "/computeMetadata/v1/instance/service-accounts/default/token?scopes=scope%2Fread");
}

TEST_F(GoogleCredentials, FilesThatCannotBeUsedAreErrors) {
  const struct {
    const char* text;
    const char* problem;
  } rows[] = {
      {"nonsense", "is not a JSON object"},
      {R"({"type":"other"})", "credentials of type \"other\" are not supported"},
      {R"({"type":"service_account","private_key":"x"})", "not an RSA key in PEM"},
      {R"({"type":"external_account"})", "no credential_source"},
      {R"({"type":"external_account","credential_source":{}})", "names no file, URL, program"},
      {R"({"type":"external_account","credential_source":{"environment_id":"aws2","url":"x"}})",
       "environment \"aws2\" of its credential_source is not supported"},
      {R"({"type":"external_account","credential_source":{"executable":{"command":"true"}}})",
       "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"},
      {R"({"type":"impersonated_service_account"})", "no usable source_credentials"},
      {R"({"type":"authorized_user","token_uri":"ftp://x"})", "its token_uri cannot be used"},
  };
  for (const auto& row : rows) {
    use_file(row.text);
    EXPECT_NE(find().find(row.problem), std::string::npos) << row.text << ": " << find();
  }
  environment_["GOOGLE_APPLICATION_CREDENTIALS"] = scratch_.at("none");
  EXPECT_NE(find().find("cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace tofu::identity
