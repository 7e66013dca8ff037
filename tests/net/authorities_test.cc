#include "net/authorities.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "tests/net/scratch.h"

namespace tofu::net {
namespace {

TEST(Authorities, TheListOfEachDistributionIsFound) {
  for (const char* file :
       {"etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt",
        "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "var/lib/ca-certificates/ca-bundle.pem",
        "etc/ssl/ca-bundle.pem", "etc/ssl/cert.pem"}) {
    const Scratch root;
    const std::string path = root.write(file, "pem");
    const Authorities found = system_authorities(root.path());
    EXPECT_EQ(found.file, path);
    EXPECT_EQ(found.directory, "");
  }
}

TEST(Authorities, WithoutAListTheDirectoryCounts) {
  const Scratch root;
  std::filesystem::create_directories(root.at("etc/ssl/certs"));
  // A directory of that name is not a list.
  std::filesystem::create_directories(root.at("etc/ssl/cert.pem"));
  const Authorities found = system_authorities(root.path());
  EXPECT_EQ(found.file, "");
  EXPECT_EQ(found.directory, root.at("etc/ssl/certs"));
}

TEST(Authorities, AnEmptySystemHasNone) {
  const Scratch root;
  const Authorities found = system_authorities(root.path());
  EXPECT_EQ(found.file, "");
  EXPECT_EQ(found.directory, "");
}

}  // namespace
}  // namespace tofu::net
