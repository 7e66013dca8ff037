#include "fetch/source_query.h"

#include <gtest/gtest.h>

namespace tofu::fetch {
namespace {

TEST(WithoutSecrets, HidesWhatOpensDoors) {
  const struct {
    const char* package;
    const char* shown;
  } rows[] = {
      {"git::https://example.com/a b?ref=v1&x", "git::https://example.com/a b?ref=v1&x"},
      {"git::ssh://git@example.com/a.git?ref=v1", "git::ssh://git@example.com/a.git?ref=v1"},
      {"git::ssh://git:pw@example.com/a?ref=v1", "git::ssh://git@example.com/a?ref=v1"},
      {"git::ssh://git@example.com/a?sshkey=abc&ref=v1", "git::ssh://git@example.com/a?ref=v1"},
      {"https://ghp_token@example.com/a.zip", "https://example.com/a.zip"},
      {"https://u:p@example.com:8443/a.zip?archive=zip",
       "https://example.com:8443/a.zip?archive=zip"},
      {"s3::https://s3.amazonaws.com/b/k.zip?aws_access_key_id=A&aws_access_key_secret=B&region=x",
       "s3::https://s3.amazonaws.com/b/k.zip?region=x"},
      {"https://x.com/a.zip?X-Amz-Signature=1&X-Amz-Security-Token=2&X-Amz-Date=3",
       "https://x.com/a.zip?X-Amz-Date=3"},
      {"https://x.com/a.zip?private_token=1", "https://x.com/a.zip"},
  };
  for (const auto& row : rows) EXPECT_EQ(without_secrets(row.package), row.shown);
}

TEST(PackageUrl, IsTakenApartAndPutTogether) {
  auto url =
      parse_package_url("git::HTTPS://us%3Aer:p%40w@Example.com:8443/a%20b/c?b=2&a=1%261&b=3");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user(), "us:er");
  EXPECT_EQ(url->password(), "p@w");
  EXPECT_EQ(url->authority(), "Example.com:8443");
  EXPECT_EQ(url->decoded_path(), "/a b/c");
  EXPECT_EQ(take_argument(*url, "b"), "2");
  EXPECT_EQ(take_argument(*url, "b"), "");
  EXPECT_EQ(url->to_string(), "https://us%3Aer:p%40w@Example.com:8443/a%20b/c?a=1%261");
  EXPECT_EQ(parse_package_url("https://x/a b\u00FC")->to_string(), "https://x/a%20b%C3%BC");
  EXPECT_EQ(parse_package_url("git::codecommit::eu://repo?ref=x")->scheme, "codecommit");
  EXPECT_EQ(parse_package_url("git::codecommit::eu://repo")->to_string(), "codecommit::eu://repo");
  EXPECT_FALSE(parse_package_url("./x"));
}

}  // namespace
}  // namespace tofu::fetch
