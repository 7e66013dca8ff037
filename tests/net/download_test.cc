#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>

#include "base/hashes.h"
#include "net/web.h"
#include "tests/net/scratch.h"
#include "tests/net/test_server.h"

namespace tofu::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Records its calls.
class Notes final : public DownloadObserver {
 public:
  void begin(std::optional<std::uint64_t> size) override {
    begun.push_back(size.value_or(0));
    bytes.clear();
  }
  void take(std::string_view more) override { bytes += more; }

  std::vector<std::uint64_t> begun;
  std::string bytes;
};

class DownloadTest : public ::testing::Test {
 protected:
  static WebOptions quick() {
    WebOptions options;
    options.retry_wait = std::chrono::milliseconds(1);
    options.retries = 0;
    return options;
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string at(std::string_view name) const { return scratch_.at(name); }
  // What the server has, whose first `failures` answers break off after 100 bytes.
  auto breaking_off(int failures) {
    return [this, failures](const ServerRequest& request) -> ServerReply {
      ServerReply reply{.body = body_, .headers = headers_};
      const std::string range = request.header("range");
      const bool same = !headers_.empty() && request.header("if-range") == headers_[0].second;
      if (!range.empty() && same) {
        const std::size_t start = std::stoul(range.substr(range.find('=') + 1));
        reply.status = 206;
        reply.headers.emplace_back(
            "Content-Range", fmt::format("bytes {}-{}/{}", start, body_.size() - 1, body_.size()));
        reply.body = body_.substr(start);
      }
      if (asked_++ < failures) reply.cut_after = 100;
      return reply;
    };
  }
  static std::vector<std::string> ranges(const TestServer& server) {
    std::vector<std::string> ranges;
    for (const ServerRequest& request : server.requests())
      ranges.push_back(request.header("range"));
    return ranges;
  }

  std::string body_ = std::string(250, 'a') + std::string(250, 'b');
  std::vector<std::pair<std::string, std::string>> headers_ = {{"ETag", "\"one\""}};
  std::atomic<int> asked_ = 0;
  std::stop_source stop_;
  Web web_{quick(), stop_.get_token()};
  Scratch scratch_;
  Notes notes_;
};

TEST_F(DownloadTest, ADownloadThatBreaksOffIsResumedWhereItEnded) {
  const TestServer server(breaking_off(2));
  const auto reply =
      web_.download({.url = server.url(), .retries = 2, .observer = &notes_}, at("file"));
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(content(at("file")), body_);
  EXPECT_THAT(ranges(server), ElementsAre("", "bytes=100-", "bytes=200-"));
  EXPECT_EQ(notes_.bytes, body_);
  EXPECT_THAT(notes_.begun, ElementsAre(body_.size()));
}

TEST_F(DownloadTest, AFileThatWasReplacedMeanwhileIsDownloadedAnew) {
  const TestServer server([&](const ServerRequest& request) {
    ServerReply reply = breaking_off(1)(request);
    body_ = std::string(300, 'c');
    headers_ = {{"ETag", "\"two\""}};
    return reply;
  });
  const auto reply =
      web_.download({.url = server.url(), .retries = 1, .observer = &notes_}, at("file"));
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(content(at("file")), std::string(300, 'c'));
  EXPECT_EQ(notes_.bytes, std::string(300, 'c'));
  EXPECT_EQ(notes_.begun.size(), 2U);
}

TEST_F(DownloadTest, WithoutAValidatorADownloadBeginsAnew) {
  for (const char* tag : {"", "W/\"weak\""}) {
    headers_.clear();
    if (*tag != 0) headers_ = {{"ETag", tag}};
    asked_ = 0;
    const TestServer server(breaking_off(1));
    const std::string path = at(*tag == 0 ? "none" : "weak");
    const auto reply = web_.download({.url = server.url(), .retries = 1}, path);
    ASSERT_TRUE(reply) << reply.error().what;
    EXPECT_EQ(content(path), body_);
    EXPECT_THAT(ranges(server), ElementsAre("", ""));
  }
}

TEST_F(DownloadTest, WhatBreaksOffTooOftenLeavesNoFile) {
  const TestServer server(breaking_off(9));
  const auto reply = web_.download({.url = server.url(), .retries = 2}, at("file"));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().what, HasSubstr("EOF"));
  EXPECT_EQ(server.requests().size(), 3U);
  EXPECT_FALSE(std::filesystem::exists(at("file")));
}

TEST_F(DownloadTest, AServerThatResumesElsewhereIsRefused) {
  const TestServer server([&](const ServerRequest& request) -> ServerReply {
    if (request.header("range").empty()) {
      return {.body = body_, .headers = headers_, .cut_after = 100};
    }
    return {.status = 206, .body = body_, .headers = {{"Content-Range", "bytes 0-499/500"}}};
  });
  const auto reply = web_.download({.url = server.url(), .retries = 1}, at("file"));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().what, HasSubstr("another place"));
  EXPECT_FALSE(std::filesystem::exists(at("file")));
}

TEST_F(DownloadTest, TheLimitCountsWhatWasThereBefore) {
  const TestServer server(breaking_off(4));
  const auto reply = web_.download({.url = server.url(), .limit = 350, .retries = 4}, at("file"));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().what, HasSubstr("longer than 350 bytes"));
}

TEST(StreamHasher, GivesTheSameAsTheWholeText) {
  base::StreamHasher hasher(base::Hash::Sha256);
  hasher.add("something else");
  hasher.begin();
  hasher.add("ab");
  hasher.add("c");
  EXPECT_EQ(hasher.finish(), base::hex_digest(base::Hash::Sha256, "abc"));
}

}  // namespace
}  // namespace tofu::net
