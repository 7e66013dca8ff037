#include <gtest/gtest.h>

#include "functions/ip_network.h"
#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(IpNetwork, AddressesAreShownInTheirShortestForm) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"010.001.0.0", "10.1.0.0"},
      {"::", "::"},
      {"1::", "1::"},
      {"::1", "::1"},
      {"1:0:0:2:0:0:0:3", "1:0:0:2::3"},
      {"1:0:0:2:3:0:0:4", "1::2:3:0:0:4"},
      {"0:1:2:3:4:5:6:7", "0:1:2:3:4:5:6:7"},
      {"::ffff:1.2.3.4", "1.2.3.4"},
      {"::1.2.3.4", "::102:304"},
      {"FD00:ABcd::", "fd00:abcd::"},
  };
  for (const auto& [text, shown] : rows) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(to_string(*address), shown) << text;
  }
}

TEST(IpNetwork, RefusesWhatIsNotAnAddress) {
  for (const std::string_view text :
       {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 ", ":::", "1::2::3", "12345::", ":1",
        "1:", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "::1.2.3", "fe80::%eth0"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
  for (const std::string_view text : {"10.0.0.0", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "/8"}) {
    EXPECT_FALSE(parse_network(text)) << text;
  }
}

TEST(Cidr, HostsCountFromBothEnds) {
  expect_same({
      {R"(cidrhost("10.1.2.3/24", 5))", R"("10.1.2.5")"},
      {R"(cidrhost("10.0.0.0/8", -1))", R"("10.255.255.255")"},
      {R"(cidrhost("fd00::/64", -2))", R"("fd00::ffff:ffff:ffff:fffe")"},
      {R"(cidrhost("fd00::/16", pow(2, 100)))", R"("fd00:10::")"},
      // OpenTofu compares only 64 bits and lets the rest run into the prefix.
      {R"(cidrhost("fd00::/64", 18446744073709551621))", R"("fd00:0:0:1::5")"},
  });
  expect_faults({
      R"(«cidrhost(»"10.0.0.0/24", 256))",
      R"(«cidrhost(»"10.0.0.0/24", -257))",
      R"(«cidrhost(»"10.0.0.0/24", 1.5))",
      R"(«cidrhost(»"10.0.0.0/24", 9223372036854775808))",
      R"(«cidrhost(»"10.0.0/24", 1))",
  });
}

TEST(Cidr, SubnetsOfIpv6MayHaveManyMoreBits) {
  expect_same({
      {R"(cidrsubnets("fd00::/8", 64, 64))", R"(tolist(["fd00::/72", "fd00::100:0:0:0/72"]))"},
      {R"(cidrsubnets("fd00::/16", 40))", R"(tolist(["fd00::/56"]))"},
      {R"(cidrsubnets("fd00::/8", 120, 120))", R"(tolist(["fd00::/128", "fd00::1/128"]))"},
  });
}

TEST(Cidr, SubnetsAndNetmasks) {
  expect_same({
      {R"(cidrsubnet("10.0.0.0/8", 8, 255))", R"("10.255.0.0/16")"},
      {R"(cidrsubnet("fd00::/49", 16, 7))", R"("fd00:0:0:3:8000::/65")"},
      {R"(cidrsubnet("::ffff:1.2.3.4/120", 4, 1))", R"("1.2.3.16/28")"},
      {R"(cidrsubnet("10.0.0.0/8", -1, 0))", R"("10.0.0.0/7")"},
      {R"(cidrnetmask("10.0.0.0/12"))", R"("255.240.0.0")"},
      {R"(cidrsubnets("10.0.0.0/16", 4, 4, 8, 4))",
       R"(tolist(["10.0.0.0/20", "10.0.16.0/20", "10.0.32.0/24", "10.0.48.0/20"]))"},
      {R"(cidrsubnets("fd00::/48", 16, 32))", R"(tolist(["fd00::/64", "fd00:0:0:1::/80"]))"},
      {R"(length(cidrsubnets("10.0.0.0/8")))", "0"},
  });
  expect_faults({
      R"(«cidrsubnet(»"10.0.0.0/8", 25, 0))",
      R"(«cidrsubnet(»"10.0.0.0/8", 8, 256))",
      R"(«cidrhost(»"::/0", pow(2, 128)))",
      R"(«cidrhost(»"::/0", 1e400000000))",
      R"(«cidrhost(»"::/0", 1 / 0))",
      R"(«cidrnetmask(»"fd00::/8"))",
      R"(cidrsubnets("«10.0.0.0»", 1))",
      R"(cidrsubnets("10.0.0.0/8", «0»))",
      R"(cidrsubnets("fd00::/8", «121»))",
      R"(cidrsubnets("10.0.0.0/8", «33»))",
      R"(cidrsubnets("fd00::/8", «99999999999999»))",
      R"(cidrsubnets("10.0.0.0/30", «3»))",
      R"(cidrsubnets("10.0.0.0/8", 1, 1, «1»))",
      R"(cidrsubnets("0.0.0.0/0", «1»))",
  });
}

TEST(Cidr, ContainsTellsFamiliesApart) {
  expect_same({
      {R"(cidrcontains("10.0.0.0/8", "10.255.255.255"))", "true"},
      {R"(cidrcontains("10.0.0.0/8", "10.0.0.0/7"))", "false"},
      {R"(cidrcontains("fd00::/8", "fd00::/16"))", "true"},
      {R"(cidrcontains("10.0.0.0/8", "::ffff:10.0.0.1"))", "true"},
  });
  expect_faults({
      R"(«cidrcontains(»"10.0.0.0/8", "fd00::1"))",
      R"(«cidrcontains(»"10.0.0.0/8", "x"))",
      R"(«cidrcontains(»"10.0.0.0", "10.0.0.0"))",
  });
}

}  // namespace
}  // namespace tofu::functions
