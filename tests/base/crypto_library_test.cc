// The functions of libcrypto, which is loaded when the first of them is called.
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <openssl/evp.h>
#include <string_view>
#include <vector>

namespace {

TEST(CryptoLibrary, AHashIsThatOfTheLoadedLibrary) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(),
                                                                     &EVP_MD_CTX_free);
  const std::string_view text = "abc";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  ASSERT_EQ(EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr), 1);
  ASSERT_EQ(EVP_DigestUpdate(hash.get(), text.data(), text.size()), 1);
  ASSERT_EQ(EVP_DigestFinal_ex(hash.get(), digest.data(), &size), 1);
  EXPECT_EQ(size, 32U);
  EXPECT_THAT(std::vector(digest.begin(), digest.begin() + 4),
              testing::ElementsAre(0xba, 0x78, 0x16, 0xbf));
}

}  // namespace
