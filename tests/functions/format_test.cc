#include <gtest/gtest.h>

#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(Format, VerbsGiveWhatTheyGiveInOpenTofu) {
  expect_same({
      {R"(format("%s %q %v", "a", "b\"<", "c"))", R"("a \"b\\\"\\u003c\" c")"},
      {R"(format("%v %v %v", 1.5, true, null))", R"("1.5 true null")"},
      {R"(format("%v", 100000000000000000000))", R"("1e+20")"},
      {R"(format("%#v", 1e21))", R"("1000000000000000000000")"},
      {R"(format("%v", {a = [1, null]}))", R"("{\"a\":[1,null]}")"},
      {R"(format("%t", "true"))", R"("true")"},
      {R"(format("%d%%", "12"))", R"("12%")"},
      {R"(format("%b %o %x %X", 5, 8, 255, 255))", R"("101 10 ff FF")"},
      {R"(format("%#b %#o %#x %#X", 5, 8, 255, 255))", R"("0b101 010 0xff 0XFF")"},
      {R"(format("%e %E %f %g %G", 1.5, 1.5, 1.5, 1e-10, 1e-10))",
       R"("1.500000e+00 1.500000E+00 1.500000 1e-10 1E-10")"},
  });
}

TEST(Format, WidthPrecisionAndFlags) {
  expect_same({
      {R"(format("[%5d] [%-5d] [%05d] [%+d] [% d]", 3, 3, 3, 3, 3))",
       R"("[    3] [3    ] [00003] [+3] [ 3]")"},
      {R"(format("%.3d|%8.3d|%-08d|%.0d", 5, 5, 5, 0))", R"("005|     005|5       |")"},
      {R"(format("%#06x", 255))", R"("0x00ff")"},
      {R"(format("%8.2f|%-8.2f|%08.2f", -3.14159, 3.14159, -3.14159))",
       R"("   -3.14|3.14    |-0003.14")"},
      {R"(format("%5s|%-5s|%05s", "é", "é", "a"))", R"("    é|é    |0000a")"},
      {R"(format("%.2s|%.0s", "👩‍👩‍👦éz", "all"))", R"("👩‍👩‍👦é|all")"},
      {R"(format("%5v|%05v|%5t", "a", 7, true))", R"("    a|00007|true")"},
      {R"(format("%e|%6f|% f|%06f", 1/0, 1/0, 1/0, -1/0))", R"("+Inf|  +Inf| Inf|  -Inf")"},
      {R"(format("%99999999d", 5))", "\"%!(NOVERB)%!(EXTRA *big.Int=5)\""},
  });
}

TEST(Format, IndexesChooseArguments) {
  expect_same({
      {R"(format("%[2]d %[1]d", 1, 2))", R"("2 1")"},
      {R"(format("%[1]d %d", 1, 2))", R"("1 2")"},
      {R"(format("%3.1[2]f %[1]s", "a", 2))", R"("2.0 a")"},
  });
}

TEST(Format, FaultsPointAtTheSurplusArgumentOrTheCall) {
  expect_faults({
      R"~(format("a", «1»))~",
      R"~(format("%d", 1, «2»))~",
      R"~(«format(»"%d %d", 1))~",
      R"~(«format(»"%[3]d", 1))~",
      R"~(«format(»"%"))~",
      R"~(«format(»"%5"))~",
      R"~(«format(»"%5%", 1))~",
      R"~(«format(»"%[0]d", 1))~",
      R"~(«format(»"%[1d", 1))~",
      R"~(«format(»"%*d", 1, 2))~",
      R"~(«format(»"%z", 1))~",
      R"~(«format(»"%é", 1))~",
      R"~(«format(»"%s", null))~",
      R"~(«format(»"%s", []))~",
      R"~(«format(»"%x", "ff"))~",
      R"~(«format(»"%d", 1.5))~",
      R"~(«format(»"%d", 1/0))~",
      R"~(«format(»"%v", [1/0]))~",
      R"~(«format(»"%99999999999999s", "a"))~",
  });
}

TEST(FormatList, SequencesGiveRowsAndOthersTakePartInAll) {
  expect_same({
      {R"(formatlist("%s-%s", ["a", "b"], "c"))", R"(tolist(["a-c", "b-c"]))"},
      {R"(formatlist("%s-%d", toset(["b", "a"]), [1, 2]))", R"(tolist(["a-1", "b-2"]))"},
      {R"(formatlist("%z", []))", R"(slice(tolist(["a"]), 0, 0))"},
      {R"(formatlist("x"))", R"(tolist(["x"]))"},
      {R"(formatlist("%v", [null]))", R"(tolist(["null"]))"},
      {R"(formatlist("%s", unk.tuple)[0] == null)", "unk.string == null"},
      {R"(length(formatlist("%s", ["a", unk.string])))", "2"},
      {R"(formatlist("%s", ["a", unk.string])[1] == null)", "false"},
  });
  expect_faults({
      R"~(formatlist("%s-%s", ["a", "b"], «["c"]»))~",
      R"~(formatlist("%s-%s", unk.tuple, «["c"]»))~",
      R"~(«formatlist(»"x", ["a"]))~",
      R"~(«formatlist(»"%s", null))~",
      R"~(«formatlist(»"%z"))~",
  });
}

TEST(Format, TheTextBeforeTheFirstVerbIsKnown) {
  expect_same({
      {R"(startswith(format("subnet-%s", unk.string), "subnet-"))", "true"},
      {R"(startswith(format("subnet-%s", unk.string), "x"))", "false"},
      {R"(format("%s", unk.string) == null)", "false"},
      // A row ends at its first unknown value; sequences after it do not move on.
      {R"(formatlist("%s-%s", [unk.string, "b"], ["x", "y"])[1])", R"("b-x")"},
      {R"(formatlist("%s-%s", ["a", "b"], [unk.string, "y"])[1])", R"("b-y")"},
      {R"(formatlist("%s-%s-%s", ["a", "b", "c"], [unk.string, "y", "z"], ["1", "2", "3"])[2])",
       R"("c-z-2")"},
      {R"(length(formatlist("%s", [unk.string], "surplus")))", "1"},
      {R"(format("%s", secret.string))", R"(sensitive("text"))"},
  });
}

}  // namespace
}  // namespace tofu::functions
