#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "providers/grpc_connection.h"

namespace tofu::providers {
namespace {

std::vector<std::string> unframed(std::string_view body, std::size_t piece, std::string& broken,
                                  std::size_t limit = kMaxMessageSize) {
  std::vector<std::string> messages;
  GrpcUnframer unframer(limit);
  while (!body.empty() && broken.empty()) {
    broken = unframer.receive(body.substr(0, piece),
                              [&](std::string message) { messages.push_back(std::move(message)); });
    body.remove_prefix(std::min(piece, body.size()));
  }
  return messages;
}

std::string framed(std::string_view message) {
  const auto prefix = grpc_prefix(message.size());
  return std::string(prefix.data(), prefix.size()).append(message);
}

TEST(GrpcMessage, HasItsLengthBeforeIt) {
  EXPECT_EQ(framed("one"), std::string("\0\0\0\0\3one", 8));
  const auto prefix = grpc_prefix(0x01020304);
  EXPECT_EQ(std::string(prefix.data(), prefix.size()), std::string("\0\1\2\3\4", 5));
}

TEST(GrpcMessage, ComesOutAsItWentInHoweverItIsCut) {
  const std::string body = framed("one") + framed("") + framed("three");
  for (const std::size_t piece : {1U, 2U, 5U, 7U, 100U}) {
    std::string broken;
    EXPECT_EQ(unframed(body, piece, broken), (std::vector<std::string>{"one", "", "three"}));
    EXPECT_EQ(broken, "");
  }
}

TEST(GrpcMessage, ThatIsTooLongIsRefusedBeforeItIsRead) {
  std::string broken;
  EXPECT_TRUE(unframed(std::string("\0\0\0\1\1", 5), 100, broken, 256).empty());
  EXPECT_NE(broken, "");
}

TEST(GrpcMessage, ThatIsCompressedIsRefused) {
  std::string broken;
  EXPECT_TRUE(unframed(std::string("\1\0\0\0\1x", 6), 100, broken).empty());
  EXPECT_NE(broken, "");
}

TEST(GrpcMessage, TextOfAnErrorIsPercentEncoded) {
  EXPECT_EQ(grpc_message_text("no%20entry, 100%25"), "no entry, 100%");
  EXPECT_EQ(grpc_message_text("100% sure"), "100% sure");
  EXPECT_EQ(grpc_message_text("%ff"), "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace tofu::providers
