#include "install/oci_mirror.h"

#include <gtest/gtest.h>
#include <string>

namespace tofu::install {
namespace {

const addrs::Provider kProvider{{"registry.example.com"}, "team", "one"};

std::string repository(std::string_view text) {
  const auto found = oci_repository(text, kProvider);
  return found ? found->registry + " " + found->name : "error";
}

TEST(OciMirror, ATemplateGivesTheRepositoryOfAProvider) {
  EXPECT_EQ(repository("mirror.example.com/${hostname}/${namespace}/${type}"),
            "mirror.example.com registry.example.com/team/one");
  EXPECT_EQ(repository("localhost:5000/p/%{ if type == \"one\" }first%{ else }other%{ endif }"),
            "localhost:5000 p/first");
}

TEST(OciMirror, AUriTemplateIsOneToo) {
  const auto made = oci_template_of_uri("example.com/{hostname}/{namespace}-{type}/x");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(*made, "example.com/${hostname}/${namespace}-${type}/x");
  for (const char* wrong : {"a/{type", "a/{other}", "a/{+type}", "a/type}", "a/$x", "a/%20"}) {
    EXPECT_FALSE(oci_template_of_uri(wrong).ok()) << wrong;
  }
}

TEST(OciMirror, WhatIsNotARepositoryIsAnError) {
  EXPECT_EQ(repository("example.com"), "error");
  EXPECT_EQ(repository("example.com/${version}"), "error");
  EXPECT_EQ(repository("example.com/${"), "error");
  EXPECT_EQ(repository("example.com/Not A Name"), "error");
  EXPECT_EQ(repository("${namespace}"), "error");
}

}  // namespace
}  // namespace tofu::install
