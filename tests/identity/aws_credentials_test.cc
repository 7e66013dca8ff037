#include "identity/aws_credentials.h"

#include <fmt/format.h>

#include "identity/aws_config.h"
#include "tests/identity/cloud_fixture.h"

namespace tofu::identity {
namespace {

constexpr const char* kService = "https://s3.example.com";

class AwsCredentials : public CloudFixture {
 protected:
  // "KEY:secret:token@region", "anonymous", or the error.
  std::string find(const std::string& profile = {}) {
    const auto identity = find_aws_identity(cloud_, profile);
    if (!identity) return "error: " + identity.error().what;
    if (!identity->keys) return "anonymous";
    const net::AwsSignature signature =
        identity->keys->signature(*net::parse_web_url(kService), "region", "s3");
    return fmt::format("{}:{}:{}@{}", signature.key_id, revealed(signature.secret, kService),
                       revealed(signature.session_token, kService), identity->region);
  }

  void config(std::string_view text) { scratch_.write(".aws/config", text); }
  void credentials(std::string_view text) { scratch_.write(".aws/credentials", text); }
  static bool says(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
};

net::ServerReply sts_reply(std::string_view kind) {
  return {.body = fmt::format(
              "<{0}Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><{0}Result>"
              "<Credentials><AccessKeyId>ROLE</AccessKeyId><SecretAccessKey>r&amp;s"
              "</SecretAccessKey><SessionToken>rt</SessionToken></Credentials></{0}Result>"
              "</{0}Response>",
              kind)};
}

TEST_F(AwsCredentials, WithoutAnySourceRequestsAreAnonymous) { EXPECT_EQ(find(), "anonymous"); }

TEST_F(AwsCredentials, KeysOfTheEnvironmentComeFirst) {
  credentials("[default]\naws_access_key_id = FILE\naws_secret_access_key = f\n");
  EXPECT_EQ(find(), "FILE:f:@");
  environment_["AWS_ACCESS_KEY_ID"] = "ENV";
  EXPECT_EQ(find(), "FILE:f:@") << "an id without its secret is not a key";
  environment_["AWS_SECRET_ACCESS_KEY"] = "e";
  environment_["AWS_SESSION_TOKEN"] = "t";
  environment_["AWS_REGION"] = "eu-west-1";
  EXPECT_EQ(find(), "ENV:e:t@eu-west-1");
  EXPECT_EQ(find("default"), "FILE:f:@eu-west-1") << "a profile that was asked for wins";
}

TEST_F(AwsCredentials, ProfilesAreOfBothFiles) {
  config(
      "[default]\nregion = a\n[profile work]\nregion=eu-central-1\n  nested = x\n"
      "aws_access_key_id = CONFIG\naws_secret_access_key = c\n[work2]\nregion = no\n");
  credentials("# comment\n[work]\nAWS_Access_Key_Id = KEYS\naws_secret_access_key = k=v\n");
  EXPECT_EQ(find("work"), "KEYS:k=v:@eu-central-1");
  environment_["AWS_PROFILE"] = "work";
  EXPECT_EQ(find(), "KEYS:k=v:@eu-central-1");
  EXPECT_TRUE(says(find("missing"), "has no profile \"missing\"")) << find("missing");
  config("[profile empty]\nregion = x\n");
  EXPECT_TRUE(says(find("empty"), "\"empty\" of the AWS configuration has no credentials"));
}

TEST_F(AwsCredentials, ARoleIsAssumedWithTheKeysOfItsSource) {
  const net::TestServer sts([](const net::ServerRequest&) { return sts_reply("AssumeRole"); });
  environment_["AWS_ENDPOINT_URL_STS"] = sts.url();
  credentials("[base]\naws_access_key_id = BASE\naws_secret_access_key = b\n");
  config(
      "[profile role]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = base\n"
      "external_id = id 1\nregion = eu-west-1\nrole_session_name = me\n");
  EXPECT_EQ(find("role"), "ROLE:r&s:rt@eu-west-1");
  const net::ServerRequest request = sts.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.body,
            "Action=AssumeRole&ExternalId=id+1&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx&"
            "RoleSessionName=me&Version=2011-06-15");
  EXPECT_TRUE(says(request.header("authorization"), "Credential=BASE/"));
  EXPECT_TRUE(says(request.header("authorization"), "/eu-west-1/sts/aws4_request"));
}

TEST_F(AwsCredentials, ProfilesThatNameEachOtherEnd) {
  config(
      "[profile a]\nrole_arn = x\nsource_profile = b\n[profile b]\nrole_arn = y\n"
      "source_profile = a\n");
  EXPECT_TRUE(says(find("a"), "name each other without end")) << find("a");
  config("[profile a]\nrole_arn = x\n");
  EXPECT_TRUE(says(find("a"), "no credentials to assume it with")) << find("a");
}

TEST_F(AwsCredentials, AWebIdentityIsExchangedForKeys) {
  const net::TestServer sts(
      [](const net::ServerRequest&) { return sts_reply("AssumeRoleWithWebIdentity"); });
  environment_["AWS_ENDPOINT_URL_STS"] = sts.url();
  environment_["AWS_WEB_IDENTITY_TOKEN_FILE"] = scratch_.write("token", "jwt.of.pod\n");
  EXPECT_TRUE(says(find(), "AWS_ROLE_ARN"));
  environment_["AWS_ROLE_ARN"] = "arn";
  environment_["AWS_ROLE_SESSION_NAME"] = "pod";
  EXPECT_EQ(find(), "ROLE:r&s:rt@");
  EXPECT_EQ(sts.requests().at(0).body,
            "Action=AssumeRoleWithWebIdentity&RoleArn=arn&RoleSessionName=pod&Version=2011-06-15&"
            "WebIdentityToken=jwt.of.pod");
  EXPECT_EQ(sts.requests().at(0).header("authorization"), "");
  environment_["AWS_WEB_IDENTITY_TOKEN_FILE"] = scratch_.at("none");
  EXPECT_TRUE(says(find(), "cannot be read")) << find();
}

TEST_F(AwsCredentials, SingleSignOnUsesTheCachedToken) {
  const net::TestServer portal([](const net::ServerRequest&) -> net::ServerReply {
    return {.body = R"({"roleCredentials":{"accessKeyId":"SSO","secretAccessKey":"s",
                        "sessionToken":"t","expiration":1}})"};
  });
  environment_["AWS_ENDPOINT_URL_SSO"] = portal.url();
  config(
      "[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp/start\n"
      "[profile dev]\nsso_session = corp\nsso_account_id = 123\nsso_role_name = Dev\n");
  EXPECT_TRUE(says(find("dev"), "run `aws sso login`"));
  const std::string cache = ".aws/sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json";
  scratch_.write(cache, R"({"accessToken":"cached","expiresAt":"2001-01-01T00:00:00Z"})");
  EXPECT_TRUE(says(find("dev"), "run `aws sso login`")) << "it has expired";
  scratch_.write(cache, R"({"accessToken":"cached","expiresAt":"2999-01-01T00:00:00Z"})");
  EXPECT_EQ(find("dev"), "SSO:s:t@");
  const net::ServerRequest request = portal.requests().at(0);
  EXPECT_EQ(request.target, "/federation/credentials?account_id=123&role_name=Dev");
  EXPECT_EQ(request.header("x-amz-sso_bearer_token"), "cached");
  config("[profile dev]\nsso_session = other\nsso_account_id = 123\nsso_role_name = Dev\n");
  EXPECT_TRUE(says(find("dev"), "no sso-session \"other\""));
}

TEST_F(AwsCredentials, AnOldTokenOfSingleSignOnIsRenewedAndKept) {
  const net::TestServer portal([](const net::ServerRequest& request) -> net::ServerReply {
    if (request.target == "/token") {
      return {.body = R"({"accessToken":"new","expiresIn":3600,"refreshToken":"again"})"};
    }
    return {.body = R"({"roleCredentials":{"accessKeyId":"SSO","secretAccessKey":"s",
                        "sessionToken":"t","expiration":1}})"};
  });
  environment_["AWS_ENDPOINT_URL_SSO"] = portal.url();
  environment_["AWS_ENDPOINT_URL_SSO_OIDC"] = portal.url();
  config(
      "[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp/start\n"
      "[profile dev]\nsso_session = corp\nsso_account_id = 123\nsso_role_name = Dev\n");
  const std::string cache = ".aws/sso/cache/ee0bfd2552fbd840c02cc48b6e823320543c450f.json";
  const auto cached = [&](std::string_view registration) {
    scratch_.write(cache, fmt::format(R"({{"accessToken":"old","expiresAt":"2001-01-01T00:00:00Z",
        "clientId":"id","clientSecret":"cs","refreshToken":"once",
        "registrationExpiresAt":"{}"}})",
                                      registration));
  };
  cached("2001-01-01T00:00:00Z");
  EXPECT_TRUE(says(find("dev"), "run `aws sso login`")) << "the registration has expired, too";
  cached("2999-01-01T00:00:00Z");
  EXPECT_EQ(find("dev"), "SSO:s:t@");
  EXPECT_EQ(find("dev"), "SSO:s:t@") << "with the token that was kept";
  const auto requests = portal.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0].body, R"({"clientId":"id","clientSecret":"cs","grantType":"refresh_token",)"
                              R"("refreshToken":"once"})");
  EXPECT_EQ(requests[1].header("x-amz-sso_bearer_token"), "new");
  EXPECT_EQ(requests[2].header("x-amz-sso_bearer_token"), "new");
}

TEST_F(AwsCredentials, AProgramPrintsKeys) {
  config(
      "[profile p]\ncredential_process = printf '{\"Version\":1,\"AccessKeyId\":\"P\","
      "\"SecretAccessKey\":\"s\"}'\n"
      "[profile bad]\ncredential_process = echo secret-output; echo why >&2; exit 3\n"
      "[profile old]\ncredential_process = printf '{\"AccessKeyId\":\"P\","
      "\"SecretAccessKey\":\"s\",\"Expiration\":\"2001-01-01T00:00:00Z\"}'\n");
  EXPECT_EQ(find("p"), "P:s:@");
  const std::string problem = find("bad");
  EXPECT_TRUE(says(problem, "failed with status 3: why")) << problem;
  EXPECT_FALSE(says(problem, "secret-output"));
  EXPECT_TRUE(says(find("old"), "expired"));
}

TEST_F(AwsCredentials, ContainersHaveAService) {
  const net::TestServer service([](const net::ServerRequest& request) -> net::ServerReply {
    if (request.header("authorization") != "Bearer pod") return {.status = 403};
    return {.body = R"({"AccessKeyId":"POD","SecretAccessKey":"s","Token":"t"})"};
  });
  environment_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = service.url("/v1/credentials");
  EXPECT_TRUE(says(find(), "responded with status 403")) << find();
  environment_["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = scratch_.write("token", "Bearer pod\n");
  EXPECT_EQ(find(), "POD:s:t@");
  environment_["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://keys.example.com/";
  EXPECT_TRUE(says(find(), "neither on this machine nor asked with https")) << find();
}

TEST_F(AwsCredentials, InstancesHaveARole) {
  const net::TestServer metadata([](const net::ServerRequest& request) -> net::ServerReply {
    if (request.path() == "/latest/api/token") {
      return {.status = request.method == "PUT" ? 200 : 405, .body = "session"};
    }
    if (request.header("x-aws-ec2-metadata-token") != "session") return {.status = 401};
    if (request.path() == "/latest/meta-data/iam/security-credentials/") return {.body = "web\n"};
    if (request.path() != "/latest/meta-data/iam/security-credentials/web") return {.status = 404};
    return {.body = R"({"Code":"Success","AccessKeyId":"EC2","SecretAccessKey":"s","Token":"t"})"};
  });
  environment_["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = metadata.url();
  EXPECT_EQ(find(), "anonymous") << "the service is switched off";
  environment_.erase("AWS_EC2_METADATA_DISABLED");
  EXPECT_EQ(find(), "EC2:s:t@");
  environment_["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = "http://127.0.0.1:1";
  EXPECT_EQ(find(), "anonymous") << "this is not such a machine";
}

TEST(AwsConfig, ReadsSectionsOfBothFiles) {
  const auto config = AwsConfig::parse("[profile a]\nx=1\n[sso-session s]\ny = 2\n", "[a]\nx=0\n");
  ASSERT_NE(config.profile("a"), nullptr);
  EXPECT_EQ(setting(*config.profile("a"), "x"), "0") << "the credentials file comes first";
  EXPECT_EQ(setting(*config.profile("a"), "y"), "");
  ASSERT_NE(config.sso_session("s"), nullptr);
  EXPECT_EQ(setting(*config.sso_session("s"), "y"), "2");
  EXPECT_EQ(config.profile("s"), nullptr);
  EXPECT_NE(AwsConfig::parse("[", "=\n[a\nx=1\n]").profile("a"), nullptr);
}

}  // namespace
}  // namespace tofu::identity
