#include "cloud/settings.h"

#include <gtest/gtest.h>
#include <map>

#include "value/json.h"

namespace tofu::cloud {
namespace {

class Settings : public testing::Test {
 protected:
  std::optional<CloudSettings> read(Flavor flavor, std::string_view json) {
    const schema::Block& schema = flavor == Flavor::Cloud ? cloud_schema() : remote_schema();
    const auto values = value::parse_json(json, schema.implied_type());
    EXPECT_TRUE(values.ok()) << json;
    const net::EnvironmentVariable environment = [this](std::string_view name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::string_view() : std::string_view(found->second);
    };
    diags_.clear();
    return flavor == Flavor::Cloud ? read_cloud_settings(*values, environment, diags_)
                                   : read_remote_settings(*values, environment, diags_);
  }
  std::optional<CloudSettings> cloud(std::string_view workspaces) {
    return read(Flavor::Cloud, std::string(R"({"hostname":"h.example.com","organization":"o",)") +
                                   R"("token":null,"workspaces":)" + std::string(workspaces) + "}");
  }
  std::optional<CloudSettings> remote(std::string_view workspaces) {
    return read(Flavor::Remote, std::string(R"({"hostname":"h.example.com","organization":"o",)") +
                                    R"("token":null,"workspaces":)" + std::string(workspaces) +
                                    "}");
  }

  std::map<std::string, std::string, std::less<>> variables_;
  diag::Diagnostics diags_;
};

TEST_F(Settings, AWorkspaceIsNamedOrHasTags) {
  EXPECT_EQ(cloud(R"({"name":"app","project":null,"tags":null})")->mapping, Mapping::Name);
  const auto tagged = cloud(R"({"name":null,"project":"p","tags":["a","b"]})");
  EXPECT_EQ(tagged->mapping, Mapping::Tags);
  EXPECT_EQ(tagged->tags.size(), 2U);
  EXPECT_EQ(tagged->project, "p");
  EXPECT_FALSE(cloud(R"({"name":"app","project":null,"tags":["a"]})"));
  EXPECT_FALSE(cloud(R"({"name":null,"project":null,"tags":null})"));
  EXPECT_FALSE(cloud("null"));
  EXPECT_EQ(diags_.error_count(), 1U);
}

TEST_F(Settings, TheEnvironmentSaysWhatTheBlockDoesNot) {
  variables_ = {{"TF_CLOUD_HOSTNAME", "e.example.com"},
                {"TF_CLOUD_ORGANIZATION", "org"},
                {"TF_CLOUD_PROJECT", "prj"},
                {"TF_WORKSPACE", "w"}};
  constexpr std::string_view kNothing =
      R"({"hostname":null,"organization":"","token":null,"workspaces":null})";
  const auto settings = read(Flavor::Cloud, kNothing);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->host.ascii, "e.example.com");
  EXPECT_EQ(settings->organization, "org");
  EXPECT_EQ(settings->name, "w");
  EXPECT_EQ(settings->project, "prj");
  EXPECT_FALSE(cloud(R"({"name":"other","project":null,"tags":null})"));
  EXPECT_FALSE(read(Flavor::Remote, kNothing));
}

TEST_F(Settings, APrefixIsNotPartOfTheNamesHere) {
  const auto settings = remote(R"({"name":null,"prefix":"app-"})");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->remote_name("dev"), "app-dev");
  EXPECT_EQ(settings->remote_name("app-dev"), "app-dev");
  EXPECT_EQ(settings->local_name("app-dev"), "dev");
  EXPECT_FALSE(settings->local_name("other"));
  EXPECT_FALSE(remote(R"({"name":"a","prefix":"b"})"));
  EXPECT_FALSE(remote(R"({"name":"","prefix":null})"));
}

TEST_F(Settings, TheOneWorkspaceOfRemoteIsTheDefaultHere) {
  const auto settings = remote(R"({"name":"app","prefix":null})");
  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->is_single_default());
  EXPECT_EQ(settings->remote_name("default"), "app");
  EXPECT_EQ(settings->local_name("app"), "default");
}

}  // namespace
}  // namespace tofu::cloud
