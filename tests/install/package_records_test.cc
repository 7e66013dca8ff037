#include "install/package_records.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "base/file.h"

namespace tofu::install {
namespace {

class PackageRecordsTest : public ::testing::Test {
 protected:
  std::string path_ = (std::filesystem::path(::testing::TempDir()) / "packages.json").string();
};

TEST_F(PackageRecordsTest, WhatIsWrittenIsReadAgain) {
  PackageRecords records;
  const PackageRecord net{"git::https://example.com/net.git", "", "abc", "h1:x", "", "sub"};
  records.set_package("net-0123", net);
  records.calls["a.b"] = {"net-0123", "git::https://example.com/net.git", Placement::Shared,
                          Mutability::ReadOnly, "the package itself"};
  records.calls["local"] = {"",
                            "",
                            Placement::Own,
                            Mutability::SelfModifying,
                            "the root module",
                            {{"helper", "h1:y"}, {"sibling", "h1:z"}}};
  records.libraries[library_key("git::https://example.com/lib.git", "")] = {"lib-4567", "x"};
  ASSERT_TRUE(base::write_file(path_, records.text()));

  const auto read = PackageRecords::read(path_);

  ASSERT_TRUE(read);
  ASSERT_NE(read->package("net-0123"), nullptr);
  EXPECT_EQ(*read->package("net-0123"), net);
  ASSERT_NE(read->call("a.b"), nullptr);
  EXPECT_EQ(read->call("a.b")->placement, Placement::Shared);
  EXPECT_EQ(read->call("local")->origins, records.calls["local"].origins);
  EXPECT_EQ(read->call("local")->stance, Mutability::SelfModifying);
  ASSERT_NE(read->library("git::https://example.com/lib.git"), nullptr);
  EXPECT_EQ(read->text(), records.text());
}

TEST_F(PackageRecordsTest, AnAbsentFileIsAnEmptyRecord) {
  const auto read = PackageRecords::read(path_ + ".not-there");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->calls.empty());
}

TEST_F(PackageRecordsTest, ARecordOfAnotherFormatIsLeftAside) {
  ASSERT_TRUE(base::write_file(path_, R"({"format":"99","calls":[{"key":"a"}]})"));
  const auto read = PackageRecords::read(path_);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->calls.empty());
}

TEST_F(PackageRecordsTest, WhatIsNotARecordIsAnError) {
  ASSERT_TRUE(base::write_file(path_, "[]"));
  EXPECT_FALSE(PackageRecords::read(path_));
}

}  // namespace
}  // namespace tofu::install
