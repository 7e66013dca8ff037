#include "identity/azure_credentials.h"

#include <cstdlib>

#include "base/url.h"
#include "tests/identity/cloud_fixture.h"
#include "tests/identity/rsa_key.h"

namespace tofu::identity {
namespace {

constexpr const char* kService = "https://account.blob.core.windows.net";

class AzureCredentials : public CloudFixture {
 protected:
  AzureCredentials() {
    environment_["AZURE_AUTHORITY_HOST"] = server_.url();
    // An `az` without a login, independent of the machine.
    use_az("echo 'Please run az login' >&2; exit 1");
  }
  ~AzureCredentials() override { ::setenv("PATH", path_.c_str(), 1); }

  void use_az(const std::string& script) {
    scratch_.write("bin/az", "#!/bin/sh\n" + script + "\n", true);
    ::setenv("PATH", (scratch_.at("bin") + ":" + path_).c_str(), 1);
  }
  std::string find() {
    const auto token = find_azure_token(cloud_, origin(kService), "https://storage.azure.com");
    return token ? revealed(*token, kService) : "error: " + token.error().what;
  }
  std::string field(std::string_view name) const {
    for (const auto& [key, value] : base::parse_url_query(server_.requests().back().body)) {
      if (key == name) return value;
    }
    return {};
  }

  std::string path_ = ::getenv("PATH");
  const net::TestServer server_{[](const net::ServerRequest& request) -> net::ServerReply {
    if (request.path() == "/identity") {
      const bool known =
          request.header("x-identity-header") == "h" || request.header("metadata") == "true";
      return {.status = known ? 200 : 400, .body = R"({"access_token":"of machine"})"};
    }
    return {.body = R"({"access_token":"of principal"})"};
  }};
};

TEST_F(AzureCredentials, APrincipalHasASecret) {
  environment_["AZURE_TENANT_ID"] = "tenant";
  environment_["AZURE_CLIENT_ID"] = "other";
  environment_["ARM_CLIENT_ID"] = "client";
  environment_["AZURE_CLIENT_SECRET"] = "s&s";
  EXPECT_EQ(find(), "of principal");
  EXPECT_EQ(server_.requests().at(0).target, "/tenant/oauth2/v2.0/token");
  EXPECT_EQ(server_.requests().at(0).body,
            "client_id=client&client_secret=s%26s&grant_type=client_credentials&"
            "scope=https%3A%2F%2Fstorage.azure.com%2F.default");
}

TEST_F(AzureCredentials, APrincipalHasACertificate) {
  const RsaKey key;
  environment_["ARM_TENANT_ID"] = "tenant";
  environment_["ARM_CLIENT_ID"] = "client";
  environment_["ARM_CLIENT_CERTIFICATE_PATH"] =
      scratch_.write("client.pem", key.private_pem() + key.certificate_pem());
  EXPECT_EQ(find(), "of principal");
  EXPECT_TRUE(key.signed_it(field("client_assertion")));
  EXPECT_EQ(field("client_assertion_type"),
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  scratch_.write("client.pem", key.private_pem());
  EXPECT_NE(find().find("no PEM certificate"), std::string::npos) << find();
}

TEST_F(AzureCredentials, AWorkloadHasAFederatedToken) {
  environment_["AZURE_TENANT_ID"] = "tenant";
  environment_["AZURE_CLIENT_ID"] = "client";
  environment_["AZURE_FEDERATED_TOKEN_FILE"] = scratch_.write("token", "jwt.of.pod\n");
  EXPECT_EQ(find(), "of principal");
  EXPECT_EQ(field("client_assertion"), "jwt.of.pod");
}

TEST_F(AzureCredentials, AMachineHasAnIdentity) {
  environment_["ARM_MSI_ENDPOINT"] = server_.url("/identity");
  EXPECT_EQ(find(), "of machine");
  EXPECT_EQ(server_.requests().back().target,
            "/identity?api-version=2018-02-01&resource=https%3A%2F%2Fstorage.azure.com");
  environment_["IDENTITY_ENDPOINT"] = server_.url("/identity");
  environment_["IDENTITY_HEADER"] = "h";
  environment_["AZURE_CLIENT_ID"] = "client";
  EXPECT_EQ(find(), "of machine");
  EXPECT_EQ(server_.requests().back().target,
            "/identity?api-version=2019-08-01&client_id=client&"
            "resource=https%3A%2F%2Fstorage.azure.com");
}

TEST_F(AzureCredentials, TheCommandLineHasALogin) {
  const std::string problem = find();
  EXPECT_NE(problem.find("run `az login`"), std::string::npos) << problem;
  use_az("echo \"$@\" > " + scratch_.at("arguments") + "\nprintf '{\"accessToken\":\"of az\"}'");
  EXPECT_EQ(find(), "of az");
  EXPECT_EQ(scratch_.read("arguments"),
            "account get-access-token --output json --resource https://storage.azure.com\n");
}

TEST_F(AzureCredentials, WaysThatAreTurnedOffAreNotTried) {
  use_az(R"(echo '{"accessToken":"of command line"}')");
  environment_["ARM_MSI_ENDPOINT"] = server_.url("/identity");
  EXPECT_EQ(find(), "of machine");
  environment_["ARM_USE_MSI"] = "false";
  EXPECT_EQ(find(), "of command line");
  environment_["ARM_USE_CLI"] = "false";
  EXPECT_NE(find().find("is not to be asked"), std::string::npos) << find();
}

TEST_F(AzureCredentials, AFederatedTokenIsUsedForOneOfTwoReasons) {
  environment_["AZURE_TENANT_ID"] = "tenant";
  environment_["AZURE_CLIENT_ID"] = "client";
  environment_["AZURE_FEDERATED_TOKEN_FILE"] = scratch_.write("token", "jwt.of.pod\n");
  environment_["ARM_USE_OIDC"] = environment_["ARM_USE_MSI"] = environment_["ARM_USE_CLI"] =
      "false";
  EXPECT_NE(find().find("no Azure credentials"), std::string::npos) << find();
  environment_["ARM_USE_AKS_WORKLOAD_IDENTITY"] = "true";
  EXPECT_EQ(find(), "of principal");
}

}  // namespace
}  // namespace tofu::identity
