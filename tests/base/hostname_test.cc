#include "base/hostname.h"

#include <gtest/gtest.h>

namespace tofu::base {
namespace {

// Recorded from svchost.ForComparison and ForDisplay.
TEST(Hostname, IsKeptNormalizedAndShownReadable) {
  struct {
    const char* given;
    const char* ascii;
    const char* shown;
  } const rows[] = {
      {"Example.COM", "example.com", "example.com"},
      {"example.com:443", "example.com", "example.com"},
      {"example.com:08080", "example.com:8080", "example.com:8080"},
      {"localhost", "localhost", "localhost"},
      {"bücher.example", "xn--bcher-kva.example", "bücher.example"},
      {"foo.com.", "foo.com.", "foo.com."},
  };
  for (const auto& row : rows) {
    const auto host = parse_hostname(row.given);
    ASSERT_TRUE(host) << row.given;
    EXPECT_EQ(host->ascii, row.ascii);
    EXPECT_EQ(host->for_display(), row.shown);
    EXPECT_EQ(parse_hostname(host->for_display())->ascii, host->ascii);
  }
}

TEST(Hostname, RefusesWhatIsNone) {
  for (const char* given : {"", ":80", "a..b", ".a", "https://a", "a:x", "a:", "a:99999", "a_b.com",
                            "-a.com", "xn--bcher-kva.com", "a b.com"}) {
    EXPECT_FALSE(parse_hostname(given)) << given;
  }
}

}  // namespace
}  // namespace tofu::base
