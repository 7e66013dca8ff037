#include "providers/handshake.h"

#include <gtest/gtest.h>
#include <string>

namespace tofu::providers {
namespace {

TEST(Handshake, SaysWhereThePluginListensAndWhatItSpeaks) {
  const auto shaken = parse_handshake("1|6|unix|/tmp/plugin42|grpc|");
  ASSERT_TRUE(shaken);
  EXPECT_EQ(shaken->protocol, 6);
  EXPECT_EQ(shaken->address.network, "unix");
  EXPECT_EQ(shaken->address.address, "/tmp/plugin42");
  EXPECT_EQ(shaken->certificate, "");
}

TEST(Handshake, TakesACertificateWithoutPaddingAndIgnoresWhatFollows) {
  const std::string text(68, 'A');  // 51 bytes
  const auto shaken = parse_handshake("1|5|tcp|127.0.0.1:1234|grpc|" + text + "|true\r\n");
  ASSERT_TRUE(shaken);
  EXPECT_EQ(shaken->protocol, 5);
  EXPECT_EQ(shaken->certificate, std::string(51, '\0'));
  const auto short_one = parse_handshake("1|5|tcp|127.0.0.1:1234|grpc|QUJD");
  ASSERT_TRUE(short_one);
  EXPECT_EQ(short_one->certificate, "");
}

TEST(Handshake, RefusesWhatItDoesNotUnderstand) {
  for (const char* line :
       {"", "hello", "1|6|unix|/tmp/x", "2|6|unix|/tmp/x|grpc|", "1|4|unix|/tmp/x|grpc|",
        "1|six|unix|/tmp/x|grpc|", "1|6|pipe|/tmp/x|grpc|", "1|6|unix|/tmp/x|netrpc|"}) {
    EXPECT_FALSE(parse_handshake(line)) << line;
  }
  EXPECT_FALSE(parse_handshake("1|6|unix|/tmp/x|grpc|" + std::string(60, '!')));
}

TEST(Handshake, ConnectsOnlyToNumbersAndPathsThatFit) {
  EXPECT_FALSE(connect_plugin({"tcp", "localhost:80"}));
  EXPECT_FALSE(connect_plugin({"tcp", "127.0.0.1"}));
  EXPECT_FALSE(connect_plugin({"tcp", "127.0.0.1:70000"}));
  EXPECT_FALSE(connect_plugin({"unix", "/" + std::string(200, 'x')}));
  EXPECT_FALSE(connect_plugin({"unix", "/nowhere/at/all"}));
}

}  // namespace
}  // namespace tofu::providers
