#include "providers/reattach.h"

#include <gtest/gtest.h>

namespace tofu::providers {
namespace {

TEST(Reattach, TakesWhatTheSdksPrint) {
  const auto all = parse_reattach(
      R"({"example.com/a/b":{"Protocol":"grpc","ProtocolVersion":6,"Pid":1,"Test":true,)"
      R"("Addr":{"Network":"unix","String":"/tmp/p"}},)"
      R"("time":{"Protocol":"grpc","Addr":{"Network":"tcp","String":"127.0.0.1:1"}}})");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  const Reattach& six = all->at(addrs::Provider{{"example.com"}, "a", "b"});
  EXPECT_EQ(six.protocol, 6);
  EXPECT_EQ(six.address.address, "/tmp/p");
  EXPECT_EQ(all->at(addrs::default_provider("time")).protocol, 5);
}

TEST(Reattach, RefusesWhatMakesNoSense) {
  for (const char* json :
       {"", "[]", "{", R"({"a/b/c/d":{}})", R"({"a/b":{"Protocol":"netrpc"}})",
        R"({"a/b":{"Protocol":"grpc","ProtocolVersion":7}})", R"({"a/b":{"Protocol":"grpc"}})",
        R"({"a/b":{"Protocol":"grpc","Addr":{"Network":"pipe","String":"x"}}})"}) {
    EXPECT_FALSE(parse_reattach(json)) << json;
  }
}

}  // namespace
}  // namespace tofu::providers
