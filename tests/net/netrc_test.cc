#include "net/netrc.h"

#include <gtest/gtest.h>

namespace tofu::net {
namespace {

constexpr std::string_view kFile =
    "# logins\n"
    "machine one.example login me password \"with blank \\\" and quote\"\n"
    "macdef init\ncd /tmp\nmachine fake.example login no password no\n\n"
    "machine two.example\n  login you\n  account x\n  password p#2\n"
    "default login any password thing\n";

std::string login(std::string_view host, NetrcDefault others = NetrcDefault::Ignored,
                  std::string_view text = kFile) {
  const auto url = parse_web_url("https://" + std::string(host));
  const auto found = find_netrc_login(text, *url, others);
  if (!found) return "none";
  return found->user + ":" + std::string(found->password.reveal_to(Origin(*url)).value_or(""));
}

TEST(Netrc, ALoginBelongsToItsHost) {
  EXPECT_EQ(login("one.example"), "me:with blank \" and quote");
  EXPECT_EQ(login("TWO.example"), "you:p#2");
  EXPECT_EQ(login("example"), "none");
  EXPECT_EQ(login("sub.one.example"), "none");
}

TEST(Netrc, WhatAMacroSaysIsNoLogin) { EXPECT_EQ(login("fake.example"), "none"); }

TEST(Netrc, TheDefaultIsForOtherHostsIfItMayBeUsed) {
  EXPECT_EQ(login("three.example", NetrcDefault::Used), "any:thing");
  EXPECT_EQ(login("three.example", NetrcDefault::Ignored), "none");
  EXPECT_EQ(login("two.example", NetrcDefault::Used), "you:p#2");
}

TEST(Netrc, AFileThatIsCutOffOrEmptyHasNoLogin) {
  EXPECT_EQ(login("a", NetrcDefault::Used, ""), "none");
  EXPECT_EQ(login("a", NetrcDefault::Used, "machine"), "none");
  EXPECT_EQ(login("a", NetrcDefault::Used, "machine a login"), "none");
  EXPECT_EQ(login("a", NetrcDefault::Used, "machine a password \"x"), ":x");
  EXPECT_EQ(login("a", NetrcDefault::Used, "macdef m"), "none");
}

}  // namespace
}  // namespace tofu::net
