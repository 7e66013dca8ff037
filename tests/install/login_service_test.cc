#include "install/login_service.h"

#include <gtest/gtest.h>

#include "net/web_url.h"

namespace tofu::install {
namespace {

base::Result<LoginService> read(std::string_view text) {
  return read_login_service(text, *net::parse_web_url("https://example.com/.well-known/x.json"));
}

TEST(LoginService, AddressesAreRelativeToTheDocument) {
  const auto service = read(R"({"client":"cli","authz":"/a","token":"https://t.example.com/t",
                                "ports":[10000,10010],"scopes":["x","y"]})");
  ASSERT_TRUE(service) << service.error().what;
  EXPECT_TRUE(service->by_code) << "the usual grant type needs not be named";
  EXPECT_EQ(service->authorization.to_string(), "https://example.com/a");
  EXPECT_EQ(service->token.to_string(), "https://t.example.com/t");
  EXPECT_EQ(service->first_port, 10000);
  EXPECT_EQ(service->last_port, 10010);
  EXPECT_EQ(service->scopes.size(), 2U);
}

TEST(LoginService, OtherGrantTypesAreNotTakenForTheUsualOne) {
  const auto service = read(R"({"client":"cli","token":"/t","grant_types":["password"]})");
  ASSERT_TRUE(service) << service.error().what;
  EXPECT_FALSE(service->by_code);
}

TEST(LoginService, WhatIsMissingOrMakesNoSenseIsAnError) {
  for (const char* text : {
           R"([])",
           R"({"authz":"/a","token":"/t"})",
           R"({"client":"c","token":"/t"})",
           R"({"client":"c","authz":"/a"})",
           R"({"client":"c","authz":"/a","token":"/t","ports":[80,90]})",
           R"({"client":"c","authz":"/a","token":"/t","ports":[2000]})",
           R"({"client":"c","authz":"/a","token":"/t","ports":[3000,2000]})",
           R"({"client":"c","authz":"javascript:x","token":"/t"})",
       }) {
    EXPECT_FALSE(read(text)) << text;
  }
}

}  // namespace
}  // namespace tofu::install
