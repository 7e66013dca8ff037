#include "install/lock_file.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/archive/tree_fixture.h"

namespace tofu::install {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// As OpenTofu 1.12 wrote it: note the order of a/x, a/x-y and a-b/x.
constexpr std::string_view kProviders = R"(# This file is maintained automatically by "tofu init".
# Manual edits may be lost in future updates.

provider "example.com/a/x" {
  version = "1.2.3"
  hashes = [
    "h1:Fjgsmi1m17+tCc+hNB0dgt5IZVHYTPXiG21puvhTmRE=",
  ]
}

provider "example.com/a/x-y" {
  version     = "1.0.0-beta1"
  constraints = "1.0.0-beta1"
  hashes = [
    "h1:85s+zVDIIw39Lg3LDqG/ExH4Nz9JN55GpOjZk1bkcEA=",
  ]
}

provider "example.com/a-b/x" {
  version     = "2.0.0"
  constraints = ">= 1.0.0, ~> 2.0, != 2.0.1"
  hashes = [
    "h1:KqgysjtyepZ0lxsghhObYzXfQjnoPmf0AR5gS4TopDY=",
    "zh:00",
  ]
}
)";

constexpr std::string_view kModules = R"(
module "git::https://example.com/x.git?ref=main" {
  version = "6f1ed002ab5595859014ebf0951522d9e0c1e9f5"
  hashes = [
    "h1:aaaa",
  ]
}

module "https://example.com/x.zip" {
  hashes = [
    "h1:aaaa",
    "zh:bbbb",
  ]
}

module "registry.opentofu.org/a/b/c" {
  version     = "1.9.0"
  constraints = "~> 1.2"
  hashes = [
    "h1:cccc",
  ]
}

module "registry.opentofu.org/a/b/c" {
  version = "1.10.0"
  constraints = [
    "> 1.9, < 2.0",
    "~> 1.10",
  ]
  hashes = [
    "h1:dddd",
  ]
}
)";

class LockFileTest : public archive::TreeFixture {
 protected:
  std::optional<LockFile> parse(std::string text) {
    diags_.clear();
    return LockFile::parse("lock", std::move(text), sources_, diags_);
  }
  LockFile parsed(std::string text) {
    auto locks = parse(std::move(text));
    EXPECT_THAT(problems(), IsEmpty());
    return locks ? std::move(*locks) : LockFile();
  }
  // The line, the text that is pointed at, and the summary.
  std::vector<std::string> problems() const {
    std::vector<std::string> shown;
    for (const diag::Diagnostic& each : diags_.items()) {
      const diag::SourceRange at = each.subject.value_or(diag::SourceRange{});
      shown.push_back(fmt::format("{} {}: {}", sources_.position(at.file, at.begin).line,
                                  sources_.text(at), each.summary));
    }
    return shown;
  }

  diag::SourceMap sources_;
  diag::Diagnostics diags_;
};

TEST_F(LockFileTest, ProvidersAreWrittenAsOpenTofuDoes) {
  const LockFile locks = parsed(std::string(kProviders));
  EXPECT_EQ(locks.text(), kProviders);
  const ProviderLock& lock = locks.providers.at("example.com/a-b/x");
  EXPECT_EQ(lock.version, "2.0.0");
  EXPECT_EQ(lock.constraints, ">= 1.0.0, ~> 2.0, != 2.0.1");
  EXPECT_THAT(lock.hashes, ElementsAre("h1:KqgysjtyepZ0lxsghhObYzXfQjnoPmf0AR5gS4TopDY=", "zh:00"));
}

TEST_F(LockFileTest, ModulesFollowInTheSameForm) {
  const std::string text = std::string(kProviders) + std::string(kModules);
  const LockFile locks = parsed(text);
  EXPECT_EQ(locks.text(), text);
  const auto found = locks.find_modules("registry.opentofu.org/a/b/c");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]->version, "1.9.0");
  EXPECT_THAT(found[1]->constraints, ElementsAre("> 1.9, < 2.0", "~> 1.10"));
  EXPECT_TRUE(found[1]->has_hash("h1:dddd"));
  EXPECT_FALSE(found[1]->has_hash("h1:cccc"));
  EXPECT_THAT(locks.find_modules("nowhere"), IsEmpty());
}

TEST_F(LockFileTest, WhateverALabelHoldsIsReadBack) {
  LockFile locks;
  locks.set_module({.label = "git::https://x/${a}%{b}\"\\\n\t\u00e9", .version = "$${x}"});
  const LockFile again = parsed(locks.text());
  EXPECT_TRUE(again.same_as(locks)) << locks.text();
}

TEST_F(LockFileTest, SettingAModuleSortsAndReplaces) {
  LockFile locks;
  locks.set_module({.label = "b", .version = "1.10.0"});
  locks.set_module({.label = "b", .version = "1.9.0"});
  locks.set_module({.label = "a", .version = "c0ffee"});
  locks.set_module({.label = "b",
                    .version = "1.9.0",
                    .constraints = {"> 1", "< 2", "> 1"},
                    .hashes = {"zh:2", "h1:1", "zh:2"}});
  ASSERT_EQ(locks.modules().size(), 3u);
  EXPECT_EQ(locks.modules()[0].label, "a");
  EXPECT_EQ(locks.modules()[1].version, "1.9.0");
  EXPECT_THAT(locks.modules()[1].constraints, ElementsAre("< 2", "> 1"));
  EXPECT_THAT(locks.modules()[1].hashes, ElementsAre("h1:1", "zh:2"));

  locks.keep_modules([](const ModuleLock& lock) { return lock.label == "a"; });
  EXPECT_EQ(locks.modules().size(), 1u);
}

TEST_F(LockFileTest, AnAbsentFileIsAnEmptyOneAndIsNotCreated) {
  const auto locks = LockFile::read(at(kLockFile), sources_, diags_);
  ASSERT_TRUE(locks.has_value());
  ASSERT_TRUE(locks->write(at(kLockFile)).ok());
  EXPECT_FALSE(exists(kLockFile));
}

TEST_F(LockFileTest, AFileThatSaysTheSameStaysAsItIs) {
  const std::string text = "# ours\r\nmodule \"m\" {\n  hashes = [\"h1:b\", \"h1:a\"]\n}\n";
  write(kLockFile, text);
  auto locks = LockFile::read(at(kLockFile), sources_, diags_);
  ASSERT_TRUE(locks.has_value());
  ASSERT_TRUE(locks->write(at(kLockFile)).ok());
  EXPECT_EQ(read(kLockFile), text);

  locks->set_module({.label = "n"});
  ASSERT_TRUE(locks->write(at(kLockFile)).ok());
  EXPECT_EQ(read(kLockFile), locks->text());

  locks->keep_modules([](const ModuleLock&) { return false; });
  ASSERT_TRUE(locks->write(at(kLockFile)).ok());
  EXPECT_THAT(parsed(read(kLockFile)).modules(), IsEmpty());
}

TEST_F(LockFileTest, WritingRemovesWhatAKilledProcessLeft) {
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(ended, nullptr, 0), ended);
  const std::string old = fmt::format("{}.tmp{}-0", kLockFile, ended);
  const std::string recent = fmt::format("{}.tmp{}-1", kLockFile, ended);
  write(old, "");
  write(recent, "");
  std::filesystem::last_write_time(
      at(old), std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  LockFile locks;
  locks.set_module({.label = "n"});
  ASSERT_TRUE(locks.write(at(kLockFile)).ok());
  EXPECT_FALSE(exists(old));
  EXPECT_TRUE(exists(recent)) << "another machine may be writing it";
}

TEST_F(LockFileTest, AnUnreadableFileIsAnError) {
  std::filesystem::create_directory(at(kLockFile));
  EXPECT_FALSE(LockFile::read(at(kLockFile), sources_, diags_).has_value());
  EXPECT_EQ(diags_.error_count(), 1u);
}

struct Mistake {
  const char* name;
  const char* text;
  const char* problem;
};

class LockMistake : public LockFileTest, public ::testing::WithParamInterface<Mistake> {};

TEST_P(LockMistake, IsReportedWhereOpenTofuDoes) {
  EXPECT_FALSE(parse(GetParam().text).has_value());
  EXPECT_THAT(problems(), ElementsAre(HasSubstr(GetParam().problem)));
}

constexpr Mistake kMistakes[] = {
    {"Syntax", "}\n", "1 }: "},
    {"UnknownBlock", "symbols \"x\" {\n}\n", "1 symbols: Unsupported block type"},
    {"UnknownArgument", "provider \"example.com/a/b\" {\n  version = \"1.0.0\"\n  x = 1\n}\n",
     "3 x: Unsupported argument"},
    {"UnknownModuleArgument", "module \"x\" {\n  branch = \"1\"\n}\n",
     "2 branch: Unsupported argument"},
    {"AddressIsNone", "provider \"a b\" {\n}\n", "1 \"a b\": Unsuitable provider address"},
    {"AddressIsShort", "provider \"hashicorp/null\" {\n}\n", "1 \"hashicorp/null\": Unsuitable"},
    {"AddressIsBuiltIn", "provider \"terraform.io/builtin/terraform\" {\n}\n", "1 \"terraform.io"},
    {"TwiceTheSame",
     "provider \"example.com/a/b\" {\n  version = \"1.0.0\"\n}\n"
     "provider \"example.com/a/b\" {\n  version = \"1.0.0\"\n}\n",
     "4 provider: Duplicate lock"},
    {"ModuleTwice", "module \"x\" {\n}\nmodule \"x\" {\n}\n", "3 module: Duplicate lock"},
    {"NoVersion", "provider \"example.com/a/b\" {\n}\n", "1 "},
    {"VersionIsNone", "provider \"example.com/a/b\" {\n  version = \"x\"\n}\n", "2 \"x\": Unsuit"},
    {"VersionIsShort", "provider \"example.com/a/b\" {\n  version = \"1.2\"\n}\n", "2 \"1.2\": "},
    {"VersionIsNull", "provider \"example.com/a/b\" {\n  version = null\n}\n", "2 null: "},
    {"ConstraintsAreNone",
     "provider \"example.com/a/b\" {\n  version = \"1.0.0\"\n  constraints = \"x\"\n}\n",
     "3 \"x\": Unsuitable version constraints"},
    {"ConstraintsAreNotNormal",
     "provider \"example.com/a/b\" {\n  version = \"1.0.0\"\n  constraints = \">=1\"\n}\n",
     "3 \">=1\": Unsuitable version constraints"},
    {"ModuleConstraint", "module \"x\" {\n  constraints = [\n    \"> 1\",\n    \"x\"]\n}\n",
     "4 \"x\": Unsuitable version constraints"},
    {"NoHashes", "module \"x\" {\n  hashes = []\n}\n", "2 []: Unsuitable hashes"},
    {"HashesAreNoList", "module \"x\" {\n  hashes = \"h1:a\"\n}\n", "2 h1:a: "},
    {"HashWithoutKind", "module \"x\" {\n  hashes = [\":a\"]\n}\n", "2 [\":a\"]: Unsuitable"},
    {"HashUsesAName", "module \"x\" {\n  hashes = [a]\n}\n", "2 a"},
};

INSTANTIATE_TEST_SUITE_P(All, LockMistake, ::testing::ValuesIn(kMistakes),
                         [](const auto& error) { return std::string(error.param.name); });

TEST_F(LockFileTest, ProblemsNameTheirBlock) {
  EXPECT_FALSE(parse("module \"x\" {\n  hashes = []\n}\n").has_value());
  ASSERT_EQ(diags_.size(), 1u);
  EXPECT_EQ(diags_.items()[0].in, "module \"x\"");
}

}  // namespace
}  // namespace tofu::install
