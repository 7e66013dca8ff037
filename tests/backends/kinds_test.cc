#include "backends/kinds.h"

#include <gtest/gtest.h>

namespace tofu::backends {
namespace {

using value::Value;

Value settings(Value path, Value directory) {
  return Value::object({{"path", std::move(path)}, {"workspace_dir", std::move(directory)}});
}

Value unset() { return Value::null(value::Type::string()); }

// Recorded by OpenTofu 1.12.6, which has to find the block unchanged.
TEST(Kinds, TheHashOfABlockIsOpenTofus) {
  EXPECT_EQ(settings_hash("local", settings(Value::string("a.tfstate"), unset())), 2985648108U);
  EXPECT_EQ(settings_hash("local", settings(Value::string("b.tfstate"), unset())), 2554194718U);
}

TEST(Kinds, AnEmptySettingIsRefused) {
  const Kind& local = *find_kind("local");
  const net::EnvironmentVariable none = BackendContext::no_environment;
  diag::Diagnostics diags;
  EXPECT_TRUE(local.check(no_settings(local), none, diags));
  EXPECT_FALSE(local.check(settings(Value::string(""), unset()), none, diags));
  EXPECT_FALSE(local.check(settings(unset(), Value::string("")), none, diags));
  EXPECT_EQ(diags.error_count(), 2U);
}

TEST(Kinds, WhatIsNotSetIsAsWithoutABlock) {
  const Kind& local = *find_kind("local");
  const BackendContext context{.state_override = {},
                               .state_out_override = {},
                               .backup_override = {},
                               .version = {},
                               .encryption = state::no_encryption()};
  diag::Diagnostics diags;
  const auto plain = local.open(no_settings(local), context, diags);
  const auto same =
      local.open(settings(Value::string("terraform.tfstate"), unset()), context, diags);
  const auto other = local.open(settings(Value::string("other.tfstate"), unset()), context, diags);
  EXPECT_EQ(plain->identity(), same->identity());
  EXPECT_NE(plain->identity(), other->identity());
}

// The settings of a kind with these, by name.
Value with(const Kind& kind, std::vector<value::Attr> given) {
  std::vector<value::Attr> all;
  for (const schema::Attribute& attribute : kind.schema().attributes) {
    Value v = Value::null(attribute.type);
    for (const value::Attr& each : given) {
      if (each.name == attribute.name) v = each.value;
    }
    all.push_back({attribute.name, std::move(v)});
  }
  return Value::object(std::move(all));
}

std::size_t problems(const char* name, std::vector<value::Attr> given,
                     const net::EnvironmentVariable& environment) {
  const Kind& kind = *find_kind(name);
  diag::Diagnostics diags;
  const bool fits = kind.check(with(kind, std::move(given)), environment, diags);
  EXPECT_EQ(fits, !diags.has_errors());
  return diags.error_count();
}

const net::EnvironmentVariable kNothing = BackendContext::no_environment;

TEST(Kinds, JournalsTellStatesApartThatSettingsOtherThanAddressesDo) {
  const auto owner = [](std::string_view name, std::vector<value::Attr> given,
                        const std::string& workspace) {
    const BackendContext context{.state_override = {},
                                 .state_out_override = {},
                                 .backup_override = {},
                                 .version = {},
                                 .encryption = state::no_encryption()};
    const Kind& kind = *find_kind(name);
    diag::Diagnostics diags;
    const auto backend = kind.open(with(kind, std::move(given)), context, diags);
    const auto store = backend ? backend->open_existing(workspace, diags) : nullptr;
    EXPECT_FALSE(diags.has_errors());
    return store ? store->journal_owner() : "";
  };
  const auto http = [&](const std::string& address) {
    return owner("http", {{"address", Value::string(address)}}, "default");
  };
  EXPECT_EQ(http("http://localhost/s"), "http://localhost/s");
  EXPECT_EQ(http("http://localhost/s?id=1"), http("http://localhost/s?id=1"));
  EXPECT_NE(http("http://localhost/s?id=1"), http("http://localhost/s?id=2"));
  EXPECT_EQ(http("http://localhost/s?id=1").find("id=1"), std::string::npos);

  const auto s3 = [&](const std::string& workspace, std::vector<value::Attr> more) {
    for (const char* key : {"bucket", "key", "region", "access_key", "secret_key"}) {
      more.push_back({key, Value::string("us-east-1")});
    }
    return owner("s3", std::move(more), workspace);
  };
  const value::Attr prefix{"workspace_key_prefix", Value::string("other")};
  EXPECT_EQ(s3("default", {prefix}), s3("default", {}));
  EXPECT_EQ(s3("two", {{"workspace_key_prefix", Value::string("env:")}}), s3("two", {}));
  EXPECT_NE(s3("two", {prefix}), s3("two", {}));
}

TEST(Kinds, WhatABlockDoesNotSayComesFromTheEnvironment) {
  EXPECT_EQ(problems("http", {}, kNothing), 1U);
  EXPECT_EQ(problems("http", {},
                     [](std::string_view name) -> std::string_view {
                       return name == "TF_HTTP_ADDRESS" ? "https://example.com/state" : "";
                     }),
            0U);
  EXPECT_EQ(problems("http", {{"address", Value::string("https://example.com/state")}},
                     [](std::string_view name) -> std::string_view {
                       return name == "TF_HTTP_RETRY_MAX" ? "often" : "";
                     }),
            1U);
}

TEST(Kinds, HeadersThatTheBackendSetsItselfAreRefused) {
  const auto headers = [](const char* name, const char* text) {
    return std::vector<value::Attr>{
        {"address", Value::string("https://example.com/state")},
        {"username", Value::string("u")},
        {"headers", Value::map(value::Type::string(), {{name, Value::string(text)}})}};
  };
  EXPECT_EQ(problems("http", headers("X-Token", "t"), kNothing), 0U);
  for (const char* name : {"Content-Type", "content-md5", "Authorization", "", "a b"}) {
    EXPECT_EQ(problems("http", headers(name, "t"), kNothing), 1U) << name;
  }
  EXPECT_EQ(problems("http", headers("X-Token", " "), kNothing), 1U);
  EXPECT_EQ(problems("http", headers("X-Token", "a\r\nb"), kNothing), 1U);
}

TEST(Kinds, SettingsOfS3ThatExcludeEachOtherAreRefused) {
  const auto s3 = [](std::vector<value::Attr> more) {
    more.push_back({"bucket", Value::string("b")});
    more.push_back({"key", Value::string("k")});
    more.push_back({"region", Value::string("eu-west-1")});
    return problems("s3", std::move(more), kNothing);
  };
  EXPECT_EQ(s3({}), 0U);
  EXPECT_EQ(
      s3({{"force_path_style", Value::boolean(true)}, {"use_path_style", Value::boolean(true)}}),
      1U);
  EXPECT_EQ(
      s3({{"kms_key_id", Value::string("alias/a")},
          {"sse_customer_key", Value::string("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")}}),
      1U);
  EXPECT_EQ(s3({{"sse_customer_key", Value::string("short")}}), 1U);
  EXPECT_EQ(s3({{"access_key", Value::string("a")}}), 1U);
  EXPECT_EQ(s3({{"retry_mode", Value::string("never")}}), 1U);
  EXPECT_EQ(
      problems("s3", {{"bucket", Value::string("b")}, {"key", Value::string("/k")}}, kNothing), 2U);
}

}  // namespace
}  // namespace tofu::backends
