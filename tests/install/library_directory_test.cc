#include "install/library_directory.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace tofu::install {
namespace {

using ::testing::SizeIs;

class LibraryDirectory : public ::testing::Test {
 protected:
  LibraryDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "library_XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~LibraryDirectory() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }

  std::optional<symbols::LibraryPlace> locate(addrs::ModuleSource source) {
    symbols::LibraryRequest request;
    request.name = "lib";
    request.source = std::move(source);
    request.parent_directory = root_.string();
    return finder_.locate(request, diags_);
  }
  std::string locate_local(std::string path) {
    const auto place = locate(addrs::LocalSource{std::move(path)});
    return place ? place->path.substr(root_.string().size()) : diags_.items().back().summary;
  }

  std::filesystem::path root_;
  diag::SourceMap sources_;
  diag::Diagnostics diags_;
  LibraryDirectories finder_{sources_};
};

TEST_F(LibraryDirectory, OneLibraryHasOnePathHoweverItIsWritten) {
  write("lib/a.sym.hcl", "");
  EXPECT_EQ(locate_local("./lib"), "/lib");
  EXPECT_EQ(locate_local("./lib/"), "/lib");
  EXPECT_EQ(locate_local("./other/../lib/."), "/lib");
}

TEST_F(LibraryDirectory, AFileIsALibraryInItsDirectory) {
  write("libs/one.tfsym.hcl", "values {}\n");
  const auto place = locate(addrs::LocalSource{"./libs/one.tfsym.hcl"});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->directory, (root_ / "libs").string());
  EXPECT_THAT(finder_.read(*place, diags_), SizeIs(1));
}

TEST_F(LibraryDirectory, AllFilesOfALibraryAreReadByName) {
  write("lib/b.sym.hcl.json", "{\"values\": {\"b\": 1}}");
  write("lib/a.sym.hcl", "values {}\n");
  write("lib/main.tf", "broken");
  const auto files = finder_.read(*locate(addrs::LocalSource{"./lib"}), diags_);
  ASSERT_THAT(files, SizeIs(2));
  EXPECT_NE(files[0]->native, nullptr);
  EXPECT_NE(files[1]->json, nullptr);
  EXPECT_TRUE(diags_.empty());
}

TEST_F(LibraryDirectory, WhatIsNotThereIsAnError) {
  write("empty/main.tf", "");
  EXPECT_EQ(locate_local("./gone"), "Symbol library not found");
  EXPECT_EQ(locate_local("./empty"), "Symbol library has no files");
  EXPECT_FALSE(locate(addrs::RemoteSource{"git::https://example.com/lib.git"}));
  EXPECT_EQ(diags_.items().back().summary, "Symbol library source is not available");
}

}  // namespace
}  // namespace tofu::install
