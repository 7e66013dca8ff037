#include <fstream>
#include <gtest/gtest.h>
#include <stop_token>
#include <string>
#include <sys/stat.h>
#include <thread>

#include "functions/file_path.h"
#include "functions/found_files.h"
#include "functions/glob.h"
#include "tests/functions/evaluation.h"
#include "tests/functions/scratch_directory.h"

namespace tofu::functions {
namespace {

using value::Value;

TEST(Path, FunctionsFollowGosRules) {
  expect_same({
      {R"([for p in ["", "/", "a/b/", "//", "a"] : basename(p)])", R"([".", "/", "b", "/", "a"])"},
      {R"([for p in ["", "/", "a/b/", "a", "/a", "a//b"] : dirname(p)])",
       R"([".", "/", "a/b", ".", "/", "a"])"},
      {R"([for p in ["", "a/../../b", "/x/./y/"] : abspath(p)])", R"(["/", "/b", "/x/y"])"},
      {R"(pathexpand("a/~"))", R"("a/~")"},
  });
  EXPECT_EQ(*expand_home("~/x/..", "/home/me"), "/home/me");
  EXPECT_FALSE(expand_home("~other/x", "/home/me").ok());
  EXPECT_EQ(clean_path("a/./b//../../../c"), "../c");
  EXPECT_EQ(clean_path("/../a"), "/a");
  EXPECT_EQ(relative_path("a/b", "a/c/d"), "../c/d");
  EXPECT_EQ(relative_path("..", "a"), std::nullopt);
}

class Files : public testing::Test {
 protected:
  Files() : table_(directory_.environment()) {
    for (const std::string_view name :
         {"a.txt", "b.txt", "c.json", ".hidden", "sub/d.txt", "sub/deep/e.txt", "sp ace/[x].txt"}) {
      directory_.write(name, name);
    }
    directory_.write("binary", "\xFF\xFE");
    directory_.write("home/h.txt", "at home");
  }

  syntax::CallResult<Value> ask(std::string_view name, std::vector<Value> arguments) const {
    return call_by_name(table_, name, std::move(arguments));
  }

  // The names that fileset gives, joined by spaces.
  std::string files(std::string_view directory, std::string_view pattern) const {
    const auto set = ask("fileset", {Value::string(directory), Value::string(pattern)});
    if (!set) return "error";
    std::string out;
    for (const Value& name : set->plain().items())
      out += std::string(name.plain().as_string()) + " ";
    return out;
  }

  ScratchDirectory directory_;
  Table table_;
};

TEST_F(Files, APipeIsWaitedForUntilAStop) {
  const std::string path = directory_.environment().base_directory + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "piped"; });
  EXPECT_EQ(ask("file", {Value::string("pipe")})->plain().as_string(), "piped");
  writer.join();

  std::stop_source stop;
  Environment environment = directory_.environment();
  environment.stop = stop.get_token();
  const Table table(environment);
  std::thread stopper([&] { stop.request_stop(); });
  for (const char* function : {"file", "filesha256", "filebase64"}) {
    const auto answer = call_by_name(table, function, {Value::string("pipe")});
    ASSERT_FALSE(answer) << function;
    EXPECT_NE(answer.error().what.find("interrupted"), std::string::npos) << answer.error().what;
  }
  stopper.join();
}

TEST_F(Files, AreReadFromTheBaseDirectoryOrHome) {
  EXPECT_EQ(ask("file", {Value::string("sub/../a.txt")})->plain().as_string(), "a.txt");
  EXPECT_EQ(ask("file", {Value::string("~/h.txt")})->plain().as_string(), "at home");
  EXPECT_EQ(ask("filebase64", {Value::string("binary")})->plain().as_string(), "//4=");
  EXPECT_EQ(ask("filemd5", {Value::string("a.txt")})->plain().as_string(),
            ask("md5", {Value::string("a.txt")})->plain().as_string());
}

// What functions say of files of `directory`, in one text.
std::string all_answers(const Environment& environment) {
  const Table table(environment);
  std::string all;
  for (const std::string_view name : {"file", "filebase64", "filesha256"}) {
    const auto answer = call_by_name(table, name, {Value::string("a.txt")});
    all += answer ? std::string(answer->plain().as_string()) + "\n" : "error\n";
  }
  for (const std::string_view path : {"a.txt", "none"}) {
    const auto exists = call_by_name(table, "fileexists", {Value::string(path)});
    all += exists->plain().as_bool() ? "is there\n" : "is not there\n";
  }
  for (const std::string_view directory : {".", "sub", "none"}) {
    const auto set =
        call_by_name(table, "fileset", {Value::string(directory), Value::string("*.txt")});
    for (const Value& name : set->plain().items()) {
      all += std::string(name.plain().as_string()) + "\n";
    }
  }
  return all;
}

TEST_F(Files, ThatWereNotedMayChangeOrGo) {
  FoundFiles noted;
  Environment environment = directory_.environment();
  environment.found_files = &noted;
  const std::string before = all_answers(environment);
  FoundFiles known(noted.answers());

  directory_.write("a.txt", "changed");
  directory_.write("sub/new.txt", "");
  EXPECT_NE(all_answers(environment), before);
  environment.found_files = &known;
  EXPECT_EQ(all_answers(environment), before);
  for (const char* gone : {"a.txt", "b.txt", "sub"}) {
    std::filesystem::remove_all(directory_.path() / gone);
  }
  EXPECT_EQ(all_answers(environment), before);
}

TEST_F(Files, ThatWereFoundDifferentLaterAreNotedAsTheyWereLast) {
  FoundFiles noted;
  Environment environment = directory_.environment();
  environment.found_files = &noted;
  all_answers(environment);
  directory_.write("a.txt", "changed");
  const std::string last = all_answers(environment);

  FoundFiles known(noted.answers());
  environment.found_files = &known;
  directory_.write("a.txt", "changed again");
  EXPECT_EQ(all_answers(environment), last);
}

TEST_F(Files, ThatWereNotThereOrNotAskedForAreLookedUp) {
  FoundFiles noted;
  Environment environment = directory_.environment();
  environment.found_files = &noted;
  const Table noting(environment);
  EXPECT_FALSE(call_by_name(noting, "file", {Value::string("none")}).ok());
  EXPECT_FALSE(call_by_name(noting, "fileexists", {Value::string("none")})->plain().as_bool());
  EXPECT_EQ(call_by_name(noting, "fileset", {Value::string("new"), Value::string("*")})
                ->plain()
                .items()
                .size(),
            0u);

  FoundFiles known(noted.answers());
  environment.found_files = &known;
  const Table knowing(environment);
  directory_.write("none", "made");
  directory_.write("new/file", "");
  EXPECT_EQ(call_by_name(knowing, "file", {Value::string("none")})->plain().as_string(), "made");
  EXPECT_TRUE(call_by_name(knowing, "fileexists", {Value::string("none")})->plain().as_bool());
  EXPECT_EQ(call_by_name(knowing, "fileset", {Value::string("new"), Value::string("*")})
                ->plain()
                .items()
                .size(),
            1u);
  EXPECT_EQ(call_by_name(knowing, "file", {Value::string("sub/d.txt")})->plain().as_string(),
            "sub/d.txt");
}

TEST_F(Files, ErrorsPointAtThePathWhenItIsToBlame) {
  const auto missing = ask("file", {Value::string("nope")});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().argument, 0u);
  const auto binary = ask("file", {Value::string("binary")});
  ASSERT_FALSE(binary.ok());
  EXPECT_EQ(binary.error().argument, std::nullopt);
  EXPECT_FALSE(ask("file", {Value::string("sub")}).ok());
  EXPECT_FALSE(ask("file", {Value::string(std::string_view("a.txt\0x", 7))}).ok());
  EXPECT_FALSE(ask("filesha256", {Value::string("nope")}).ok());
}

TEST_F(Files, ASensitivePathMarksTheResultAndStaysOutOfErrors) {
  const Value secret = Value::string("a.txt").with_marks(value::Marks::sensitive());
  EXPECT_TRUE(ask("file", {secret})->marks().is_sensitive());
  EXPECT_TRUE(ask("fileexists", {secret})->marks().is_sensitive());
  EXPECT_TRUE(ask("fileset", {Value::string("."), secret})->marks().is_sensitive());
  const Value nowhere = Value::string("n0where").with_marks(value::Marks::sensitive());
  for (const std::string_view name : {"file", "filebase64", "filemd5"}) {
    const auto failed = ask(name, {nowhere});
    ASSERT_FALSE(failed.ok()) << name;
    EXPECT_EQ(failed.error().what.find("n0where"), std::string::npos) << failed.error().what;
  }
}

TEST_F(Files, ExistsIsAboutRegularFilesOnly) {
  EXPECT_TRUE(ask("fileexists", {Value::string("a.txt")})->plain().as_bool());
  EXPECT_FALSE(ask("fileexists", {Value::string("nope")})->plain().as_bool());
  EXPECT_FALSE(ask("fileexists", {Value::string("sub")}).ok());
  EXPECT_FALSE(ask("fileexists", {Value::string("a.txt/x")}).ok());
}

TEST_F(Files, SetsFollowThePattern) {
  EXPECT_EQ(files(".", "*.txt"), "a.txt b.txt ");
  EXPECT_EQ(files("", "*"), ".hidden a.txt b.txt binary c.json ");
  EXPECT_EQ(files(".", "**/*.txt"),
            "a.txt b.txt home/h.txt sp ace/[x].txt sub/d.txt sub/deep/e.txt ");
  EXPECT_EQ(files("sub", "**"), "d.txt deep/e.txt ");
  EXPECT_EQ(files("sub", "../*.json"), "../c.json ");
  EXPECT_EQ(files(".", "{a,c}.{txt,json}"), "a.txt c.json ");
  EXPECT_EQ(files(".", "{sub/deep,home}/*"), "home/h.txt sub/deep/e.txt ");
  EXPECT_EQ(files(".", "[!a].txt"), "b.txt ");
  EXPECT_EQ(files(".", "sp*/\\[x\\].txt"), "sp ace/[x].txt ");
  EXPECT_EQ(files("missing", "*"), "");
  EXPECT_EQ(files(".", ""), "");
  EXPECT_EQ(files(".", "["), "error");
  EXPECT_EQ(files(".", "{a"), "error");
}

TEST_F(Files, SetsFollowLinksButNotInACircleForever) {
  std::filesystem::create_directory_symlink("sub", directory_.path() / "link");
  EXPECT_EQ(files(".", "link/**"), "link/d.txt link/deep/e.txt ");
  std::filesystem::create_directory_symlink("..", directory_.path() / "sub" / "up");
  EXPECT_EQ(files("sub", "**"), "error");  // as in OpenTofu, where a link ends up unreadable
  std::filesystem::create_symlink("nowhere", directory_.path() / "dangling");
  EXPECT_EQ(files(".", "dang*"), "error");
}

TEST(Glob, NamesMatchAsInDoublestar) {
  const std::pair<std::string_view, std::string_view> matching[] = {
      {"*", "a"},    {"a*c", "abbc"}, {"a**", "a"},  {"?", "é"},   {"[a-c]x", "bx"},
      {"[^a]", "b"}, {"[\\]]", "]"},  {"[a-]", "-"}, {"\\*", "*"}, {"*.t?t", "a.b.txt"},
  };
  for (const auto& [pattern, name] : matching) {
    EXPECT_EQ(matches_name(pattern, name), true) << pattern << " " << name;
  }
  EXPECT_EQ(matches_name("abc***", "abc"), false);
  EXPECT_EQ(matches_name("a", "ab"), false);
  EXPECT_EQ(matches_name("[b-a]", "a"), false);
  EXPECT_EQ(matches_name("[a", "b"), std::nullopt);
  const std::string hostile(60, '*');
  EXPECT_EQ(matches_name(hostile + "b", std::string(200, 'a')), false);
}

TEST(Glob, TooManyAlternativesAreAnError) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "{a,b}";
  EXPECT_FALSE(glob(pattern).ok());
}

}  // namespace
}  // namespace tofu::functions
