#include "addrs/module_source.h"

#include <gtest/gtest.h>

#include "base/overloaded.h"

namespace tofu::addrs {
namespace {

std::string shown(std::string_view text) {
  const auto source = parse_module_source(text);
  if (!source) return "ERR";
  return std::visit(
      base::Overloaded{
          [](const LocalSource& it) { return "local " + it.path; },
          [](const RegistrySource& it) { return "registry " + it.package() + " | " + it.subdir; },
          [](const RemoteSource& it) { return "remote " + it.package + " | " + it.subdir; },
      },
      *source);
}

struct Row {
  const char* text;
  const char* shown;
};

// All recorded from OpenTofu 1.12.6.
TEST(ModuleSource, LocalPathsAreCleaned) {
  for (const Row& row : std::initializer_list<Row>{
           {"./child", "local ./child"},
           {"./", "local ./."},
           {"../", "local ./.."},
           {"./nope/../../sibling", "local ../sibling"},
           {".\\nope\\..\\child", "local ./child"},
       }) {
    EXPECT_EQ(shown(row.text), row.shown);
  }
}

TEST(ModuleSource, RegistryAddressesAreRecognized) {
  for (const Row& row : std::initializer_list<Row>{
           {"hashicorp/subnets/cidr", "registry registry.opentofu.org/hashicorp/subnets/cidr | "},
           {"a/b/c//examples/../foo", "registry registry.opentofu.org/a/b/c | foo"},
           {"Example.COM:443/a/b_c/d1//x", "registry example.com/a/b_c/d1 | x"},
           {"bücher.example.com/A/b/c", "registry bücher.example.com/A/b/c | "},
       }) {
    EXPECT_EQ(shown(row.text), row.shown);
  }
}

TEST(ModuleSource, ShorthandsBecomeUrls) {
  for (const Row& row : std::initializer_list<Row>{
           {"github.com/a/b", "remote git::https://github.com/a/b.git | "},
           {"github.com/a/b.git?", "remote git::https://github.com/a/b.git | "},
           {"github.com/a/b/c/d", "remote git::https://github.com/a/b.git | c/d"},
           {"github.com/a/b//c?ref=x", "remote git::https://github.com/a/b.git?ref=x | c"},
           {"github.com/a/b/s//c?ref=x", "remote git::https://github.com/a/b.git?ref=x | s/c"},
           {"github.com/a/b c", "remote git::https://github.com/a/b%20c.git | "},
           {"hg::github.com/a/b", "remote hg::https://github.com/a/b.git | "},
           {"bitbucket.org/a/b?ref=x", "remote git::https://bitbucket.org/a/b.git?ref=x | "},
           {"git@github.com:a/b.git//sub?ref=x&depth=1",
            "remote git::ssh://git@github.com/a/b.git?depth=1&ref=x | sub"},
           {"git::git@example.com:/a.git", "remote git::ssh://git@example.com/a.git | "},
           {"www.googleapis.com/storage/v1/B/P",
            "remote gcs::https://www.googleapis.com/storage/v1/B/P | "},
           {"s3-eu-west-1.amazonaws.com/b/v.zip",
            "remote s3::https://s3-eu-west-1.amazonaws.com/b/v.zip | "},
           {"bucket.s3-eu-west-1.amazonaws.com/v.zip//sub",
            "remote s3::https://s3-eu-west-1.amazonaws.com/bucket/v.zip | sub"},
           {"bucket.s3.eu-west-1.amazonaws.com/v.zip?x=y",
            "remote s3::https://s3.eu-west-1.amazonaws.com/bucket/v.zip?x=y | "},
           {"/abs//sub", "remote file:///abs | sub"},
           {"git::/abs", "remote git::file:///abs | "},
       }) {
    EXPECT_EQ(shown(row.text), row.shown);
  }
}

TEST(ModuleSource, UrlsStayAsTheyAre) {
  for (const Row& row : std::initializer_list<Row>{
           {"https://example.com/m.zip//sub?archive=zip",
            "remote https://example.com/m.zip?archive=zip | sub"},
           {"git::ssh://git@example.com/x.git//y", "remote git::ssh://git@example.com/x.git | y"},
           {"oci://ghcr.io/a/b//sub?tag=1", "remote oci://ghcr.io/a/b?tag=1 | sub"},
           {"git::https://example.com/a b", "remote git::https://example.com/a b | "},
           {"a:b/c", "remote a:b/c | "},
       }) {
    EXPECT_EQ(shown(row.text), row.shown);
  }
}

TEST(ModuleSource, RefusesWhatCannotBeRead) {
  for (const char* text : {"",
                           "boop",
                           "boop/bloop",
                           "a/b/c/d/e",
                           "a/b/AWS",
                           "-a/b/c",
                           "a/b/c?ref=x",
                           "a/b/c//../nope",
                           "localhost/a/b/c",
                           "xn--bcher-kva.example.com/a/b/c",
                           "github.com/a",
                           "other@github.com:a/b",
                           "ssh://git@github.com:a/b.git",
                           "https://example.com:x/m",
                           "www.googleapis.com/x",
                           "a.b.c.d.e.amazonaws.com/x",
                           "/abs//a/../../b",
                           "git::./rel",
                           "git::https://example.com/%zz",
                           "foo::bar",
                           "::x"}) {
    EXPECT_EQ(shown(text), "ERR") << text;
  }
}

TEST(ModuleSource, ReadsBackWhatItPrints) {
  for (const char* text :
       {"./a", "../a", "a/b/c//d", "example.com/a/b/c", "github.com/a/b//c?ref=x", "/abs//sub",
        "https://example.com/m.zip//sub?archive=zip", "git@github.com:a/b.git//s?ref=x"}) {
    const auto source = parse_module_source(text);
    ASSERT_TRUE(source) << text;
    EXPECT_EQ(*parse_module_source(to_string(*source)), *source) << text;
  }
  EXPECT_EQ(for_display(*parse_module_source("a/b/c//d")), "a/b/c//d");
  EXPECT_EQ(for_display(*parse_module_source("x.com/a/b/c")), "x.com/a/b/c");
}

TEST(ModuleSource, LocalOnesResolveAgainstTheirModule) {
  struct {
    const char* from;
    const char* to;
    const char* result;
  } const rows[] = {
      {"./a", "../b", "./b"},
      {"../a", "../../b", "../../b"},
      {"x/y/z//a", "./b", "x/y/z//a/b"},
      {"x/y/z//a", "../", "x/y/z"},
      {"x/y/z//a", "../../b", "ERR"},
      {"https://e.com/m.zip//a?x=y", "./b", "https://e.com/m.zip//a/b?x=y"},
      {"./a", "x/y/z", "x/y/z"},
  };
  for (const auto& row : rows) {
    const auto resolved = resolve(*parse_module_source(row.from), *parse_module_source(row.to));
    EXPECT_EQ(resolved ? for_display(*resolved) : "ERR", row.result) << row.from << " " << row.to;
  }
}

TEST(ModuleSource, ARegistryPackageKeepsBothSubdirectories) {
  const RegistrySource given = *parse_registry_source("x/y/z//b");

  EXPECT_EQ(with_subdir_of({"https://e.com/m.zip", "a"}, given).subdir, "a/b");
  EXPECT_EQ(with_subdir_of({"https://e.com/m.zip"}, given).subdir, "b");
}

TEST(ModuleSource, RemoteOnesHaveAKind) {
  struct {
    const char* text;
    RemoteKind kind;
  } const rows[] = {
      {"github.com/a/b", RemoteKind::Git},          {"git://e.com/a", RemoteKind::Git},
      {"hg::https://e.com", RemoteKind::Mercurial}, {"https://e.com/a", RemoteKind::Http},
      {"oci://e.com/a", RemoteKind::Oci},           {"s3::https://e.com/a", RemoteKind::S3},
      {"gcs::https://e.com/a", RemoteKind::Gcs},    {"/a/b", RemoteKind::File},
      {"ftp://e.com/a", RemoteKind::Unsupported},
  };
  for (const auto& row : rows) {
    const auto source = parse_module_source(row.text);
    EXPECT_EQ(kind_of(std::get<RemoteSource>(*source)), row.kind) << row.text;
  }
}

}  // namespace
}  // namespace tofu::addrs
