// Signatures of requests, compared with what other programs compute.
#include <gtest/gtest.h>

#include "backends/alibaba_access.h"
#include "backends/table_store.h"
#include "backends/tencent_access.h"

namespace tofu::backends {
namespace {

TEST(Signatures, OfOssCoverBodyDateHeadersAndResource) {
  EXPECT_EQ(
      oss_signature("OtxrzxIsfpFjA7SwPzILwy8Bw21TLhquhboDYROV", "PUT",
                    {"eB5eJF1ptWaXm4bijSPyxw==", "text/html"}, "Thu, 17 Nov 2005 18:49:58 GMT",
                    {{"x-oss-meta-author", "foo@bar.com"}, {"x-oss-magic", "abracadabra"}},
                    "/oss-example/nelson"),
      "hD208RWMpg77svXkQRwWXS+V5KQ=");
}

// The example in Alibaba's documentation of RPC requests.
TEST(Signatures, OfAlibabasServicesCoverAllArguments) {
  EXPECT_EQ(rpc_signature("testsecret", "GET",
                          {{"Timestamp", "2016-02-23T12:46:24Z"},
                           {"Format", "XML"},
                           {"AccessKeyId", "testid"},
                           {"Action", "DescribeRegions"},
                           {"SignatureMethod", "HMAC-SHA1"},
                           {"SignatureNonce", "3ee8c1b8-83d3-44af-a94f-4e0ad82fd6cf"},
                           {"Version", "2014-05-26"},
                           {"SignatureVersion", "1.0"}}),
            "OLeaidS1JvxuMvnyHOwuJ+uX5qY=");
}

TEST(Signatures, OfTableStoreCoverItsHeadersInOrder) {
  EXPECT_EQ(table_signature("secret", "GetRow",
                            {{"x-ots-date", "2026-01-02T03:04:05.000Z"},
                             {"x-ots-apiversion", "2015-12-31"},
                             {"x-ots-accesskeyid", "id"},
                             {"x-ots-contentmd5", "m"},
                             {"x-ots-instancename", "i"}}),
            "DinNLtzoC90YUbc+10F5j1/g+F0=");
}

TEST(Signatures, OfCosCoverThePathArgumentsAndHeaders) {
  const auto url = base::parse_url("https://b.cos.r.myqcloud.com/a%20b/c?prefix=x%2Fy");
  EXPECT_EQ(cos_signature({"id", "secret"}, "PUT", *url,
                          {{"x-cos-acl", "private"}, {"host", "b.cos.r.myqcloud.com"}},
                          "1557989151;1557996351"),
            "q-sign-algorithm=sha1&q-ak=id&q-sign-time=1557989151;1557996351"
            "&q-key-time=1557989151;1557996351&q-header-list=host;x-cos-acl"
            "&q-url-param-list=prefix&q-signature=19ebbfa10f083a59e2777e0d9026d76edf8c744e");
}

TEST(Signatures, OfTencentsServicesCoverHostBodyAndDay) {
  EXPECT_EQ(
      tc3_signature({"id", "secret"}, "tag", "tag.tencentcloudapi.com", R"({"a":1})", 1551113065),
      "TC3-HMAC-SHA256 Credential=id/2019-02-25/tag/tc3_request, "
      "SignedHeaders=content-type;host, "
      "Signature=494e7cf44aa86863381353abb0dd1d2fa091527f4ef3e6524faf2e4f40e036bd");
}

TEST(PlainRows, AreReadAsTheyWereWritten) {
  const std::string row = plain_row("bucket/key", {{"Info", "{\"ID\":\"x\"}"}, {"More", "y"}});
  EXPECT_EQ(*plain_text(row, "Info"), "{\"ID\":\"x\"}");
  EXPECT_EQ(*plain_text(row, "More"), "y");
  EXPECT_EQ(*plain_text(row, "Digest"), std::nullopt);
  EXPECT_EQ(*plain_text(plain_row("bucket/key", {}), "Info"), std::nullopt);
  EXPECT_TRUE(plain_text(plain_deletion("bucket/key"), "Info").ok());
}

// Recorded from a row with the time of its version.
TEST(PlainRows, MayHaveTheTimeOfAVersion) {
  constexpr std::string_view kRow(
      "\x75\0\0\0\x01\x03\x04\x06\0\0\0LockID\x05\x06\0\0\0\x03\x01\0\0\0k\x0a\xc1\x02\x03\x04\x04"
      "\0\0\0Info\x05\x06\0\0\0\x03\x01\0\0\0x\x07\0\x68\xe5\xcf\x8b\x01\0\0\x0a\x9f\x09\xc4",
      75);
  EXPECT_EQ(*plain_text(kRow, "Info"), "x");
}

TEST(PlainRows, ThatAreCutOrChangedAreRefused) {
  const std::string row = plain_row("bucket/key", {{"Info", "some text"}});
  for (std::size_t size = 0; size < row.size(); ++size) {
    EXPECT_FALSE(plain_text(std::string_view(row).substr(0, size), "Info").ok()) << size;
  }
  for (std::size_t at = 0; at < row.size(); ++at) {
    std::string changed = row;
    changed[at] = static_cast<char>(changed[at] ^ 0x21);
    EXPECT_FALSE(plain_text(changed, "Info").ok()) << at;
  }
}

}  // namespace
}  // namespace tofu::backends
