#include "fetch/openpgp.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

namespace tofu::fetch {
namespace {

using ::testing::HasSubstr;
using Verdict = SignatureCheck::Verdict;

constexpr std::string_view kDocument = "abc  file.zip\n";

// Keys and signatures were made with GnuPG for these tests; nothing else trusts them.
const std::vector<std::string> kKey = {R"(-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEX+5mABYJKwYBBAHaRw8BAQdAdHaHsPRQ5zaAbt1ZfdJissCyLOkw3DA0DYKW
boJdt7q0IlByb3ZpZGVyIFRlc3RzIDx0ZXN0c0BleGFtcGxlLmNvbT6IkAQTFggA
OBYhBFS2BY/SR/nEQmdvsOQIAOjB7PP+BQJf7mYAAhsDBQsJCAcCBhUKCQgLAgQW
AgMBAh4BAheAAAoJEOQIAOjB7PP+YEEA/jL0L+UjKmN/O7H5+c/ETyZJoNSHdHHq
iSfNnfM+h0NJAQChRjUkBkpcqN4i8Jb3/bTgfwQMw0k/fd14/mJMD36+BQ==
=TuS4
-----END PGP PUBLIC KEY BLOCK-----
)"};
constexpr std::string_view kSignature = R"(-----BEGIN PGP SIGNATURE-----

iIgEABYIADAWIQRUtgWP0kf5xEJnb7DkCADowezz/gUCX+5mABIcdGVzdHNAZXhh
bXBsZS5jb20ACgkQ5AgA6MHs8/5e1QEAhBkpZvCLkeQblzZII5mbEPrf463aKP1s
pWomTiFWKoIBAOipKxGEK+BWHXuHa1DRRNjfWcvaCbaikqSaZuiNuZ8E
=8hsZ
-----END PGP SIGNATURE-----
)";

// Valid for 30 days of 2021.
const std::vector<std::string> kExpiredKey = {R"(-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEX+5mABYJKwYBBAHaRw8BAQdASczhtUPSXLC0u+hlBaibKoBXj3sKiRW3u6xw
ugWv9ka0G09sZCBUZXN0cyA8b2xkQGV4YW1wbGUuY29tPoiWBBMWCAA+FiEEj8mW
vljTIWmn0ZRdhapB6ZB0K8IFAl/uZgACGwMFCQAnjQAFCwkIBwIGFQoJCAsCBBYC
AwECHgECF4AACgkQhapB6ZB0K8JhrQEAjH7XDvvd+qrpGFse6MIUg+oPtK8TIkPm
YqZEcEf0bsEA/3RW+RiXHTeZ8ZwU8vdcmGB4tOns0huOLYTnw/SzNXAF
=2zUe
-----END PGP PUBLIC KEY BLOCK-----
)"};
constexpr std::string_view kSignatureOfExpiredKey = R"(-----BEGIN PGP SIGNATURE-----

iIYEABYIAC4WIQSPyZa+WNMhaafRlF2FqkHpkHQrwgUCX+5mABAcb2xkQGV4YW1w
bGUuY29tAAoJEIWqQemQdCvCOUoA+wfsXfXeMjkfOhlLUdnukv4kyrWbFLU/afdw
hEhJ1OKJAQDITwy9qAJQOaFbG5IGs3jP4L5yd53bodSB+TImt8YcBw==
=YEWC
-----END PGP SIGNATURE-----
)";

TEST(OpenPgp, ASignatureByAGivenKeyIsValid) {
  const auto check = check_signature(kDocument, kSignature, kKey);
  ASSERT_TRUE(check) << check.error().what;
  EXPECT_EQ(check->verdict, Verdict::Valid);
  EXPECT_EQ(check->key_id, "E40800E8C1ECF3FE");
}

TEST(OpenPgp, ASignatureByAnotherKeyIsOfAnotherIssuer) {
  const auto check = check_signature(kDocument, kSignature, kExpiredKey);
  ASSERT_TRUE(check) << check.error().what;
  EXPECT_EQ(check->verdict, Verdict::OtherIssuer);
}

TEST(OpenPgp, OneOfSeveralKeysIsEnough) {
  const auto check = check_signature(
      kDocument, kSignature, std::vector{kExpiredKey[0], std::string("not a key"), kKey[0]});
  ASSERT_TRUE(check) << check.error().what;
  EXPECT_EQ(check->verdict, Verdict::Valid);
}

TEST(OpenPgp, ASignatureOfAnotherDocumentIsAnError) {
  const auto check = check_signature("abd  file.zip\n", kSignature, kKey);
  ASSERT_FALSE(check);
  EXPECT_THAT(check.error().what, HasSubstr("not one of this document"));
}

TEST(OpenPgp, AKeyThatHasExpiredIsTold) {
  const auto check = check_signature(kDocument, kSignatureOfExpiredKey, kExpiredKey);
  ASSERT_TRUE(check) << check.error().what;
  EXPECT_EQ(check->verdict, Verdict::Expired);
  EXPECT_EQ(check->key_id, "85AA41E990742BC2");
}

TEST(OpenPgp, WhatIsNotASignatureOrAKeyIsAnError) {
  EXPECT_FALSE(check_signature(kDocument, "not a signature", kKey));
  EXPECT_FALSE(check_signature(kDocument, "", kKey));
  EXPECT_FALSE(check_signature(kDocument, kKey[0], kKey));
  EXPECT_FALSE(check_signature(kDocument, kSignature, std::vector<std::string>{"not a key"}));
  EXPECT_FALSE(check_signature(kDocument, kSignature, {}));
}

}  // namespace
}  // namespace tofu::fetch
