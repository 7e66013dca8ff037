#include "cli/cli_config.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace tofu::cli {
namespace {

class CliConfigTest : public ::testing::Test {
 protected:
  CliConfigTest() {
    std::string name = ::testing::TempDir() + "cli_config_XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    home_ = name;
    environment_.variables = {{"HOME", home_}};
    environment_.platform = "linux_amd64";
    environment_.working_directory = home_;
  }
  ~CliConfigTest() override { std::filesystem::remove_all(home_); }

  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path file = home_ + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  CliConfig read() {
    diag::SourceMap sources;
    diag::Diagnostics diags;
    CliConfig config = read_cli_config(environment_, sources, diags);
    problems_.clear();
    for (const diag::Diagnostic& each : diags.items()) problems_ += each.detail + "\n";
    return config;
  }

  std::string token(const CliConfig& config, const std::string& host) {
    const auto found = config.credentials.tokens.find(base::Hostname{host});
    if (found == config.credentials.tokens.end()) return "(unknown)";
    if (!found->second) return "(none)";
    const net::Origin origin(base::Hostname{host});
    return std::string(found->second->rescoped_to(origin).reveal_to(origin).value_or(""));
  }

  std::string home_;
  std::string problems_;
  Environment environment_;
};

TEST_F(CliConfigTest, TokensAreReadFromFilesInBothSyntaxesAndTheLaterWins) {
  write(".tofurc",
        "credentials \"a.example\" { token = \"first\" }\n"
        "credentials \"B.example:443\" { token = \"b\" }\n"
        "credentials \"c.example\" {}\n");
  write(".terraform.d/credentials.tfrc.json",
        R"({"credentials": {"a.example": {"token": "second"}, "caf\u00e9.fr": {"token": "c"}}})");
  const CliConfig config = read();
  EXPECT_EQ(problems_, "");
  EXPECT_EQ(token(config, "a.example"), "second");
  EXPECT_EQ(token(config, "b.example"), "b");
  EXPECT_EQ(token(config, "c.example"), "(none)");
  EXPECT_EQ(token(config, "xn--caf-dma.fr"), "c");
  EXPECT_EQ(token(config, "d.example"), "(unknown)");
}

TEST_F(CliConfigTest, TokensOfTheEnvironmentWin) {
  write(".tofurc", "credentials \"a-b.example\" { token = \"file\" }");
  environment_.variables.emplace("TF_TOKEN_a__b_example", "variable");
  environment_.variables.emplace("TF_TOKEN_xn____caf__dma_fr", "punycode");
  environment_.variables.emplace("TF_TOKEN_xn--mlaut-jva.de", "dots");
  environment_.variables.emplace("TF_TOKEN_", "nobody");
  const CliConfig config = read();
  EXPECT_EQ(token(config, "a-b.example"), "variable");
  EXPECT_EQ(token(config, "xn--caf-dma.fr"), "punycode");
  EXPECT_EQ(token(config, "xn--mlaut-jva.de"), "dots");
  EXPECT_EQ(config.credentials.tokens.size(), 3u);
}

TEST_F(CliConfigTest, ServicesOfHostsAreRead) {
  write(".tofurc",
        "host \"a.example\" { services = { \"modules.v1\" = \"https://m/\"\n"
        " \"login.v1\" = { client = \"x\" } } }\nhost \"b.example\" {}");
  const auto services = read().credentials.services;
  EXPECT_EQ(services.at({"a.example"}),
            (net::HostServices{{"modules.v1", "https://m/"}, {"login.v1", ""}}));
  EXPECT_TRUE(services.at({"b.example"}).empty());
}

TEST_F(CliConfigTest, TheNewestCredentialsHelperIsFound) {
  write(".tofurc", "credentials_helper \"vault\" { args = [\"-x\", \"y\"] }");
  EXPECT_FALSE(read().credentials.helper);
  write(".terraform.d/plugins/terraform-credentials-vaulted", "");
  write(".terraform.d/plugins/terraform-credentials-vault", "");
  write(".terraform.d/plugins/terraform-credentials-vault_v1.9.0", "");
  write(".terraform.d/plugins/linux_amd64/terraform-credentials-vault_v1.10.0_x4", "");
  const auto helper = read().credentials.helper;
  ASSERT_TRUE(helper);
  EXPECT_EQ(helper->program,
            home_ + "/.terraform.d/plugins/linux_amd64/terraform-credentials-vault_v1.10.0_x4");
  EXPECT_EQ(helper->arguments, (std::vector<std::string>{"-x", "y"}));
}

TEST_F(CliConfigTest, LoginsForOciRegistriesAreRead) {
  write(".tofurc",
        "oci_credentials \"e.example/team\" {\n username = \"u\"\n password = \"p\"\n}\n"
        "oci_credentials \"t.example\" {\n access_token = \"a\"\n refresh_token = \"r\"\n}\n"
        "oci_credentials \"h.example\" { docker_credentials_helper = \"mine\" }\n"
        "oci_default_credentials {\n docker_credentials_helper = \"all\"\n"
        " docker_style_config_files = [\"x.json\", \"/y.json\"]\n}\n");
  const auto credentials = read().credentials;
  EXPECT_EQ(problems_, "");
  ASSERT_EQ(credentials.oci.size(), 4u);
  EXPECT_EQ(credentials.oci[0].place, "e.example/team");
  EXPECT_EQ(credentials.oci[0].login.password, net::Secret("p"));
  EXPECT_EQ(credentials.oci[1].login.refresh_token, net::Secret("r"));
  EXPECT_EQ(credentials.oci[2].helper, "mine");
  EXPECT_EQ(credentials.oci[3].place, "");
  EXPECT_EQ(credentials.oci[3].helper, "all");
  EXPECT_EQ(credentials.docker_files, (std::vector<std::string>{home_ + "/x.json", "/y.json"}));
  EXPECT_TRUE(credentials.docker_files_required);
}

TEST_F(CliConfigTest, DockersFilesAreLookedForUnlessThatIsSwitchedOff) {
  EXPECT_EQ(read().credentials.docker_files,
            (std::vector<std::string>{home_ + "/.config/containers/auth.json",
                                      home_ + "/.docker/config.json", home_ + "/.dockercfg"}));
  write(".tofurc", "oci_default_credentials { discover_ambient_credentials = false }");
  EXPECT_TRUE(read().credentials.docker_files.empty());
}

TEST_F(CliConfigTest, MistakesAboutHostsAreTold) {
  const struct {
    const char* text;
    const char* told;
  } cases[] = {
      {"credentials \"a b\" { token = \"secret\" }", "is not a valid hostname"},
      {"host \"https://x\" {}", "is not a valid hostname"},
      {"oci_credentials \"e/A\" { docker_credentials_helper = \"x\" }", "label"},
      {"oci_credentials \"e\" { username = \"x\" }", "Set one of these"},
      {"oci_credentials \"e\" {}", "Set one of these"},
      {"oci_credentials \"e\" {\nusername = \"u\"\npassword = \"secret\"\naccess_token = \"t\"\n"
       "refresh_token = \"r\"\n}",
       "Set one of these"},
      {"oci_credentials \"e/a\" { docker_credentials_helper = \"x\" }", "a whole registry"},
      {"oci_credentials \"e\" { docker_credentials_helper = \"../x\" }", "is not a valid name"},
      {"oci_credentials \"e\" { docker_credentials_helper = \"x\" }\n"
       "oci_credentials \"e\" { docker_credentials_helper = \"y\" }",
       "Duplicate oci_credentials"},
      {"oci_default_credentials {}\noci_default_credentials {}", "Only one"},
      {"oci_default_credentials {\ndiscover_ambient_credentials = false\n"
       "docker_style_config_files = []\n}",
       "has no effect"},
      {"registry_protocols { retry_count = \"many\" }", "whole number"},
  };
  for (const auto& each : cases) {
    write(".tofurc", each.text);
    read();
    EXPECT_NE(problems_.find(each.told), std::string::npos) << each.text << "\n" << problems_;
    EXPECT_EQ(problems_.find("secret"), std::string::npos) << problems_;
  }
}

TEST_F(CliConfigTest, TheModuleCacheMayBeNamedByVariables) {
  write(".tofurc", "module_cache_dir = \"$HOME/${SUB}x\"");
  environment_.variables.emplace("SUB", "cache/");
  const CliConfig config = read();
  ASSERT_TRUE(config.module_cache_dir);
  EXPECT_EQ(config.module_cache_dir->text, home_ + "/cache/x");
}

TEST_F(CliConfigTest, RulesOfInstallationNeedListsOfStrings) {
  for (const char* text : {
           "module_installation {\n  direct {\n    include = \"git::https://ok/*\"\n  }\n}",
           "module_installation {\n  direct {\n    exclude = \"*\"\n  }\n}",
           "module_installation {\n  direct {\n    include = [1]\n  }\n}",
           "provider_installation {\n  direct {\n    include = \"a/b/c\"\n  }\n}",
           "module_cache_readonly_dirs = \"x\"",
       }) {
    write(".tofurc", text);
    read();
    EXPECT_NE(problems_.find("must be a list of strings"), std::string::npos) << text;
  }
}

TEST_F(CliConfigTest, VariablesWinOverTheFileOnHowRegistriesAreAsked) {
  write(".tofurc", "registry_protocols {\n retry_count = 3\n request_timeout_seconds = 20\n}");
  EXPECT_EQ(read().registry_retries, 3u);
  EXPECT_EQ(read().registry_timeout_seconds, 20u);
  environment_.variables.emplace("TF_REGISTRY_DISCOVERY_RETRY", "5");
  environment_.variables.emplace("TF_REGISTRY_CLIENT_TIMEOUT", "nonsense");
  EXPECT_EQ(read().registry_retries, 5u);
  EXPECT_EQ(read().registry_timeout_seconds, 20u);
}

}  // namespace
}  // namespace tofu::cli
