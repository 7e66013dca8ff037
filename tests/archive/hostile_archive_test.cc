#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "archive/archive.h"
#include "tests/archive/archive_bytes.h"
#include "tests/archive/tree_fixture.h"

namespace tofu::archive {
namespace {

class HostileArchive : public TreeFixture {
 protected:
  HostileArchive() {
    write("outside/secret", "secret");
    link("elsewhere", "outside");
  }
  ~HostileArchive() override {
    EXPECT_FALSE(exists("out")) << "something was left behind";
    EXPECT_EQ(read("outside/secret"), "secret");
    EXPECT_TRUE(std::filesystem::is_symlink(at("elsewhere")));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(at("outside")), {}), 1);
  }

  std::string problem(std::string_view bytes, ArchiveKind kind = ArchiveKind::Tar) {
    std::filesystem::remove_all(at("out"));
    write("archive", bytes);
    const auto unpacked =
        unpack_archive(at("archive"), kind, at("out"), limits_, stop_.get_token());
    return unpacked ? "it was unpacked" : unpacked.error().what;
  }
  void refuses(const std::vector<TarEntry>& entries, std::string_view because) {
    std::vector<TarEntry> all = {{"good.tf", '0', {}, "good"}};
    all.insert(all.end(), entries.begin(), entries.end());
    EXPECT_NE(problem(tar(all)).find(because), std::string::npos)
        << problem(tar(all)) << "\nshould say: " << because;
  }

  FetchLimits limits_;
  std::stop_source stop_;
};

// Kilobytes that this process has needed at most; nothing where the compiler's checks
// need more than the program.
long peak_memory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 0;
#else
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
#endif
}

TEST_F(HostileArchive, NamesThatLeadOut) {
  refuses({{"/etc/evil"}}, "\"/etc/evil\" is refused: its name is absolute");
  refuses({{"../outside/evil"}}, "\"../outside/evil\" is refused: its name leads out");
  refuses({{"a/../../outside/evil"}}, "leads out");
  refuses({{"a/.."}}, "leads out");
  refuses({{"..", '5'}}, "leads out");
  refuses({{"..\\outside\\evil"}}, "backslash");
  refuses({{"C:\\evil"}}, "backslash");
}

TEST_F(HostileArchive, LinksThatLeadOut) {
  refuses({{"l", '2', "/etc/passwd"}}, "\"l\" is refused: it is a link that leads out");
  refuses({{"l", '2', "../outside/secret"}}, "the link \"l\" leads out of the package");
  refuses({{"l", '2', "../out/good.tf"}}, "leads out");  // and back in
  refuses({{"a/b/l", '2', "../../../outside"}}, "leads out");
  refuses({{"a/b/l", '2', "x/../../../../nowhere"}}, "leads out");
  refuses({{"l", '2', ""}}, "without a target");
  // Each is harmless alone: the first leads to the top, the second out through it.
  refuses({{"a/b/top", '2', "../.."}, {"a/b/l", '2', "top/../outside/secret"}}, "leads out");
  refuses({{"a/b/top", '2', "../.."}, {"a/b/l", '2', "top/../not/there"}}, "leads out");
}

TEST_F(HostileArchive, EntriesThroughALink) {
  refuses({{"d", '2', "sub"}, {"d/evil", '0', {}, "x"}}, "leads through the link");
  refuses({{"d", '2', "../outside"}, {"d/evil", '0', {}, "x"}}, "leads through the link");
  refuses({{"d", '2', "../outside"}, {"d", '5'}, {"d/evil", '0', {}, "x"}}, "through the link");
  refuses({{"d", '2', "../outside/secret"}, {"d", '0', {}, "x"}}, "another kind");
  refuses({{"d/f", '0', {}, "x"}, {"d", '2', "../outside"}}, "another kind");
  refuses({{"f", '0', {}, "x"}, {"f/g", '0', {}, "x"}}, "another kind");
}

TEST_F(HostileArchive, HardLinksToWhatIsNotInside) {
  refuses({{"h", '1', "/etc/passwd"}}, "its name is absolute");
  refuses({{"h", '1', "../outside/secret"}}, "leads out");
  refuses({{"h", '1', "missing"}}, "which is not a file of the package");
  refuses({{"d/", '5'}, {"h", '1', "d"}}, "not a file of the package");
  refuses({{"l", '2', "../outside/secret"}, {"h", '1', "l"}}, "not a file of the package");
  refuses({{"l", '2', "../outside"}, {"h", '1', "l/secret"}}, "not a file of the package");
  refuses({{"h", '1', "GOOD.tf"}}, "not a file of the package");
}

TEST_F(HostileArchive, DevicesAndPipes) {
  for (const char type : {'3', '4', '6'}) {
    refuses({{"dev", type}}, "\"dev\" is refused: it is neither a file, a directory nor a link");
  }
}

TEST_F(HostileArchive, NamesThatMayBeMixedUp) {
  refuses({{"GOOD.tf"}}, "differs from \"good.tf\" only by case");
  refuses({{"Dir/a"}, {"dir/b"}}, "differs from \"Dir\"");
  refuses({{"caf\u00E9"}, {"cafe\u0301"}}, "by the form of its letters");
  refuses({{"CAF\u00C9"}, {"cafe\u0301"}}, "by the form of its letters");
  refuses({{"\u212Aelvin"}, {"kelvin"}}, "by the form of its letters");
}

TEST_F(HostileArchive, ZipsAreNotTrustedMore) {
  const auto refused = [&](const Zip& zip) { return problem(zip.finish(), ArchiveKind::Zip); };
  EXPECT_NE(refused(Zip().add("../outside/evil", "x")).find("leads out"), std::string::npos);
  EXPECT_NE(refused(Zip().add("/evil", "x")).find("absolute"), std::string::npos);
  EXPECT_NE(refused(Zip().add("..\\outside\\evil", "x")).find("leads out"), std::string::npos);
  EXPECT_NE(refused(Zip().add("l", "/etc", 0120777)).find("leads out"), std::string::npos);
  EXPECT_NE(refused(Zip().add("l", "../outside", 0120777)).find("leads out"), std::string::npos);
  EXPECT_NE(refused(Zip().add("l", "..", 0120777).add("l/evil", "x")).find("through the link"),
            std::string::npos);
  EXPECT_NE(refused(Zip().add("a", "x").add("A", "x")).find("only by case"), std::string::npos);
}

TEST_F(HostileArchive, ZipsThatContradictThemselves) {
  const std::string good = Zip().add("good.tf", "content").add("b.tf", "other").finish();
  EXPECT_EQ(problem(good, ArchiveKind::Zip), "it was unpacked");
  const auto patched = [&](std::size_t at, std::string_view bytes) {
    std::string zip = good;
    zip.replace(at, bytes.size(), bytes);
    return problem(zip, ArchiveKind::Zip);
  };
  // Of the first entry's own header: its name, method, checksum and sizes.
  EXPECT_NE(patched(30, "evil.tf").find("contradicts itself"), std::string::npos);
  EXPECT_NE(patched(8, "\x08").find("contradicts itself"), std::string::npos);
  EXPECT_NE(patched(14, "abcd").find("contradicts itself"), std::string::npos);
  EXPECT_NE(patched(18, "\x01").find("contradicts itself"), std::string::npos);
  EXPECT_NE(patched(22, "\x01").find("contradicts itself"), std::string::npos);
  const std::size_t directory = good.find("PK\1\2");
  EXPECT_NE(patched(directory + 46, "evil.tf").find("contradicts itself"), std::string::npos);
  // Both entries at one place, and an end that counts fewer than there are.
  const std::size_t second = good.find("PK\1\2", directory + 1);
  std::string shared = good;
  shared.replace(second, 46 + 4, good.substr(directory, 46 + 7));
  EXPECT_NE(problem(shared, ArchiveKind::Zip), "it was unpacked");
  EXPECT_NE(patched(good.size() - 12, "\x01").find("another number"), std::string::npos);
  EXPECT_NE(problem("#!/bin/sh\n" + good, ArchiveKind::Zip).find("is not where"),
            std::string::npos);
  EXPECT_NE(problem(good + "trailing", ArchiveKind::Zip).find("not a zip"), std::string::npos);
  EXPECT_NE(problem(good.substr(0, good.size() / 2), ArchiveKind::Zip), "it was unpacked");
}

TEST_F(HostileArchive, ZipsWithMoreThanTheirDirectorySays) {
  const auto result = [&](const Zip& zip) { return problem(zip.finish(), ArchiveKind::Zip); };
  // The checksum and the sizes may follow an entry.
  const std::string descriptor(24, '\0');
  EXPECT_EQ(result(Zip().add("a.tf", "x").hide(descriptor).add("b.tf", "x").hide(descriptor)),
            "it was unpacked");
  const std::string hidden = Zip().add("evil.tf", "content").finish();
  EXPECT_NE(result(Zip().hide("#!/bin/sh\n").add("a.tf", "x")).find("beginning"),
            std::string::npos);
  EXPECT_NE(result(Zip().hide(hidden).add("a.tf", "x")).find("beginning"), std::string::npos);
  EXPECT_NE(result(Zip().add("a.tf", "x").hide(hidden).add("b.tf", "x")).find("between entries"),
            std::string::npos);
  EXPECT_NE(result(Zip().add("a.tf", "x").hide(hidden)).find("before it"), std::string::npos);
  EXPECT_NE(result(Zip().add(std::string_view("a.tf\0.txt", 9), "x")).find("zero byte"),
            std::string::npos);
}

TEST_F(HostileArchive, NamesTooLongOrTooDeep) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "d/";
  const auto with_name = [&](const std::string& name) {
    return problem(pax({{"path", name}}) + tar({{"x"}}));
  };
  EXPECT_NE(with_name(deep + "f").find("too many directories"), std::string::npos);
  EXPECT_NE(with_name(std::string(256, 'n')).find("too long"), std::string::npos);
  EXPECT_NE(with_name(std::string(100'000, 'n')).find("too long"), std::string::npos);
}

TEST_F(HostileArchive, AMillionEntries) {
  Zip zip;
  for (int i = 0; i < 1'000'000; ++i) zip.add("f" + std::to_string(i), "");
  const std::string million = zip.finish();
  const long before = peak_memory();
  EXPECT_NE(problem(million, ArchiveKind::Zip).find("too many entries"), std::string::npos);

  limits_.files = 1000;
  std::string many;
  for (int i = 0; i < 1100; ++i) many += tar_header({"f" + std::to_string(i)});
  EXPECT_NE(problem(many).find("more than 1000"), std::string::npos);
  many.clear();
  for (int i = 0; i < 1100; ++i) many += tar_header({"same"});
  EXPECT_NE(problem(many).find("more than 1000"), std::string::npos);
  many.clear();
  for (int i = 0; i < 30; ++i) {  // directories that have no entry count too
    std::string deep = std::to_string(i);
    for (int j = 0; j < 45; ++j) deep += "/d";
    many += tar_header({deep});
  }
  EXPECT_NE(problem(many).find("more than 1000"), std::string::npos);
  EXPECT_LT(peak_memory() - before, 300'000);
}

TEST_F(HostileArchive, CompressionBombs) {
  const std::string zeros(std::size_t{64} << 20, '\0');
  limits_.ratio = 100;
  const std::string bomb = tar({{"zeros", '0', {}, zeros}});
  EXPECT_NE(problem(gzip(bomb), ArchiveKind::TarGzip).find("100 times"), std::string::npos);
  EXPECT_NE(problem(xz(bomb), ArchiveKind::TarXz).find("100 times"), std::string::npos);
  const std::string zip = Zip().add("zeros", zeros, 0100644, true).finish();
  EXPECT_NE(problem(zip, ArchiveKind::Zip).find("100 times"), std::string::npos);
}

TEST_F(HostileArchive, OneTooManyBytes) {
  limits_.unpacked_bytes = 1000;
  refuses({{"a", '0', {}, std::string(600, 'a')}, {"b", '0', {}, std::string(600, 'b')}},
          "more than 1000 bytes");
  // A hard link becomes a copy as soon as the package is copied.
  refuses({{"a", '0', {}, std::string(600, 'a')}, {"b", '1', "a"}}, "more than 1000 bytes");
  Zip zip;
  for (int i = 0; i < 50; ++i) zip.add("f" + std::to_string(i), std::string(100, 'f'));
  EXPECT_NE(problem(zip.finish(), ArchiveKind::Zip).find("more than 1000 bytes"),
            std::string::npos);
}

TEST_F(HostileArchive, HugeAndSparseFiles) {
  refuses({{"huge", '0', {}, {}, 0644, 0777777777777}}, "more than");
  for (const char* size : {"9000000000000000000", "1000000000000000"}) {
    const std::string sparse = pax({{"GNU.sparse.major", "1"},
                                    {"GNU.sparse.minor", "0"},
                                    {"GNU.sparse.name", "sparse"},
                                    {"GNU.sparse.realsize", size}});
    const std::string map = std::string("1\n") + size + "\n0\n";
    EXPECT_NE(problem(sparse + tar({{"x", '0', {}, map}})).find("the archive cannot be read"),
              std::string::npos)
        << problem(sparse + tar({{"x", '0', {}, map}}));
  }
  // A map of a million pieces, of a file that is empty.
  std::string map = "1000000\n";
  for (int i = 0; i < 1'000'000; ++i) map += "1\n0\n";
  const long before = peak_memory();
  const std::string entries = pax({{"GNU.sparse.major", "1"},
                                   {"GNU.sparse.minor", "0"},
                                   {"GNU.sparse.name", "sparse"},
                                   {"GNU.sparse.realsize", "1"}}) +
                              tar({{"x", '0', {}, map}});
  EXPECT_NE(problem(gzip(entries), ArchiveKind::TarGzip).find("too long headers"),
            std::string::npos);
  EXPECT_LT(peak_memory() - before, 100'000);
}

TEST_F(HostileArchive, EndlessHeaders) {
  std::string headers;
  for (int i = 0; i < 4; ++i) headers += pax({{"comment", std::string(400'000, 'c')}});
  EXPECT_NE(problem(headers + tar({{"x"}})).find("too long headers"), std::string::npos);
  const std::string endless = pax({{"comment", std::string(4'000'000, 'c')}}) + tar({{"x"}});
  EXPECT_NE(problem(endless).find("header too large"), std::string::npos) << problem(endless);
}

}  // namespace
}  // namespace tofu::archive
