#include "net/secret.h"

#include <gtest/gtest.h>
#include <sstream>

namespace tofu::net {
namespace {

Origin origin(std::string_view url) { return Origin(*parse_web_url(url)); }

TEST(Secret, IsRevealedToItsOriginOnly) {
  const Secret secret("s3cret", origin("https://example.com"));
  EXPECT_EQ(secret.reveal_to(origin("https://EXAMPLE.com:443/path")), "s3cret");
  for (const char* other : {"http://example.com", "https://example.com:8443", "https://example.org",
                            "https://www.example.com"}) {
    EXPECT_EQ(secret.reveal_to(origin(other)), std::nullopt) << other;
  }
  EXPECT_EQ(secret.reveal_to(Origin()), std::nullopt);
}

TEST(Secret, WithoutAnOriginIsRevealedToNobody) {
  const Secret secret("s3cret");
  EXPECT_EQ(secret.reveal_to(Origin()), std::nullopt);
  EXPECT_EQ(secret.reveal_to(origin("https://example.com")), std::nullopt);
  EXPECT_EQ(secret.rescoped_to(origin("https://a")).reveal_to(origin("https://a")), "s3cret");
  EXPECT_EQ(secret.rescoped_to(origin("https://a")).reveal_to(origin("https://b")), std::nullopt);
}

TEST(Secret, PrintsAsStars) {
  const Secret secret("s3cret", origin("https://example.com"));
  std::ostringstream out;
  out << secret;
  EXPECT_EQ(out.str(), "***");
  EXPECT_EQ(fmt::format("<{}>", secret), "<***>");
  EXPECT_EQ(::testing::PrintToString(secret), "***");
}

TEST(Secret, HeadersMadeOfItStaySecret) {
  const Secret password("open sesame", origin("https://example.com"));
  const Secret login = basic_login("Aladdin", password);
  EXPECT_EQ(fmt::format("{}", login), "***");
  EXPECT_EQ(login.reveal_to(origin("https://example.com")), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  EXPECT_EQ(login.reveal_to(origin("https://example.org")), std::nullopt);
  EXPECT_EQ(bearer_token(password).reveal_to(origin("https://example.com")), "Bearer open sesame");
}

TEST(Secret, LeavesNothingWhereItWasMovedFrom) {
  Secret first("short", origin("https://example.com"));
  const Secret second = std::move(first);
  EXPECT_TRUE(first.is_empty());  // NOLINT: that is the question
  EXPECT_EQ(second.reveal_to(origin("https://example.com")), "short");
}

}  // namespace
}  // namespace tofu::net
