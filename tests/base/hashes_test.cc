#include "base/hashes.h"

#include <gtest/gtest.h>

namespace tofu::base {
namespace {

TEST(Hashes, Sha256IsThatOfTheStandard) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Hashes, NamesAreFoundInAnyCase) {
  EXPECT_EQ(hash_of_name("SHA256"), Hash::Sha256);
  EXPECT_EQ(hash_of_name("md4"), std::nullopt);
}

TEST(Hashes, HmacIsThatOfRfc4231) {
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace tofu::base
