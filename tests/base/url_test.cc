#include "base/url.h"

#include <gtest/gtest.h>

namespace tofu::base {
namespace {

TEST(Url, IsTakenApartAndPutTogetherAgain) {
  const auto url = parse_url("HTTPS://us%3Aer:p%40w@Example.com:8443/a%20b/c?b=2&a=1#f");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user(), "us:er");
  EXPECT_EQ(url->password(), "p@w");
  EXPECT_EQ(url->host, "Example.com");
  EXPECT_EQ(url->port, "8443");
  EXPECT_EQ(url->authority(), "Example.com:8443");
  EXPECT_EQ(url->decoded_path(), "/a b/c");
  EXPECT_EQ(url->query, "b=2&a=1");
  EXPECT_EQ(url->fragment, "f");
  EXPECT_EQ(url->to_string(), "https://us%3Aer:p%40w@Example.com:8443/a%20b/c?b=2&a=1#f");
  EXPECT_EQ(parse_url("http://[::1]:80/")->host, "[::1]");
  EXPECT_EQ(parse_url("codecommit::eu://repo")->to_string(), "codecommit::eu://repo");
  EXPECT_EQ(parse_url("https://x/a b\u00FC")->to_string(), "https://x/a%20b%C3%BC");
}

TEST(Url, OtherTextIsNone) {
  for (const char* text : {"", "x", "./x", ":x", "1x://a", "a b://c", "http://[::1", "http://a:b/",
                           "http://a b/", "http://a/%", "http://a/%zz", "http://a\n/"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

// The examples of RFC 3986, section 5.4.
TEST(Url, ReferencesAreResolvedAsTheStandardSays) {
  const struct {
    const char* reference;
    const char* result;
  } rows[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {";x", "http://a/b/c/;x"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"..g", "http://a/b/c/..g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/../y", "http://a/b/c/y"},
  };
  const auto at = parse_url("http://a/b/c/d;p?q");
  ASSERT_TRUE(at);
  for (const auto& row : rows) {
    const auto resolved = resolve_url(*at, row.reference);
    ASSERT_TRUE(resolved) << row.reference;
    EXPECT_EQ(resolved->to_string(), row.result) << row.reference;
  }
  EXPECT_FALSE(resolve_url(*at, "1:x"));
  EXPECT_FALSE(resolve_url(*at, "a%"));
}

TEST(Url, ArgumentsAreDecodedAndSorted) {
  const auto arguments = parse_url_query("b=2&a=1%261&b=3&c&&d=x+y");
  EXPECT_EQ(arguments,
            (UrlArguments{{"b", "2"}, {"a", "1&1"}, {"b", "3"}, {"c", ""}, {"d", "x y"}}));
  EXPECT_EQ(format_url_query(arguments), "a=1%261&b=2&b=3&c=&d=x+y");
}

TEST(Url, EscapesAreMadeAndUndone) {
  EXPECT_EQ(escape_url("a/b c~"), "a%2Fb%20c~");
  EXPECT_EQ(escape_url("a/b c", "/"), "a/b%20c");
  EXPECT_EQ(escape_url_path("/a b/\u00FC@"), "/a%20b/%C3%BC@");
  EXPECT_EQ(unescape_url("a%2fb+c", true), "a/b c");
  EXPECT_EQ(unescape_url("a%2fb+c", false), "a/b+c");
  EXPECT_EQ(unescape_url("%4", false), std::nullopt);
}

}  // namespace
}  // namespace tofu::base
