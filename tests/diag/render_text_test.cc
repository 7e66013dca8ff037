#include "diag/render_text.h"

#include <gtest/gtest.h>

namespace tofu::diag {
namespace {

Diagnostic sample(SourceMap& sources) {
  const FileId file = sources.add("main.tf", "locals {\n  a = upper(\n    [k])\n}\n");
  Diagnostic sample;
  sample.summary = "Invalid function argument";
  sample.detail = "A string is required here, but this is a tuple.\n\n    upper(\"x\")";
  sample.subject = SourceRange{file, 26, 27};
  sample.context = SourceRange{file, 15, 30};
  sample.in = "locals";
  sample.values = {{"local.z", "is true"}, {"k", "is \"a\""}};
  sample.call = ShownCall{"upper", "upper(str)"};
  return sample;
}

// Shape recorded from OpenTofu 1.12.6 (`tofu validate -no-color`).
TEST(FormatDiagnostic, PlainFormHasNoEscapes) {
  SourceMap sources;
  const Diagnostic diagnostic = sample(sources);

  EXPECT_EQ(format_diagnostic(diagnostic, sources, {.color = false, .width = 30}), R"(
Error: Invalid function argument

  on main.tf line 3, in locals:
   2:   a = upper(
   3:     [k])
    ├────────────────
    │ while calling upper(str)
    │ k is "a"
    │ local.z is true

A string is required here,
but this is a tuple.

    upper("x")
)");
}

TEST(FormatDiagnostic, ADifferenceStandsBelowTheValues) {
  SourceMap sources;
  Diagnostic diagnostic = sample(sources);
  diagnostic.call.reset();
  diagnostic.difference = ShownDifference{"1", "2", "false", "false", "false"};
  const auto lines = [](const ShownDifference& shown, bool) {
    return shown.before + " ->\n      " + shown.after;
  };

  const std::string text =
      format_diagnostic(diagnostic, sources, {.color = false, .width = 30, .difference = lines});

  EXPECT_NE(text.find(R"(
    │ local.z is true
    ├────────────────
    │ Diff: 
    │     1 ->
    │       2

A string)"),
            std::string::npos)
      << text;
}

TEST(FormatDiagnostic, ColoredFormIsBoxedAndUnderlined) {
  SourceMap sources;
  Diagnostic diagnostic = sample(sources);
  diagnostic.address = "module.m[0]";

  EXPECT_EQ(
      format_diagnostic(diagnostic, sources, {.color = true, .width = 0}),
      "\x1b[31m╷\x1b[0m\n"
      "\x1b[31m│\x1b[0m \x1b[1m\x1b[31mError: \x1b[0m\x1b[1mInvalid function argument\x1b[0m\n"
      "\x1b[31m│\x1b[0m\n"
      "\x1b[31m│\x1b[0m   with module.m[0],\n"
      "\x1b[31m│\x1b[0m   on main.tf line 3, in locals:\n"
      "\x1b[31m│\x1b[0m    2:   a = upper(\n"
      "\x1b[31m│\x1b[0m    3:     \x1b[4m[\x1b[0mk])\n"
      "\x1b[31m│\x1b[0m     \x1b[90m├────────────────\x1b[0m\n"
      "\x1b[31m│\x1b[0m     \x1b[90m│\x1b[0m while calling \x1b[1mupper\x1b[0m(str)\n"
      "\x1b[31m│\x1b[0m     \x1b[90m│\x1b[0m \x1b[1mk\x1b[0m is \"a\"\n"
      "\x1b[31m│\x1b[0m     \x1b[90m│\x1b[0m \x1b[1mlocal.z\x1b[0m is true\n"
      "\x1b[31m│\x1b[0m\n"
      "\x1b[31m│\x1b[0m A string is required here, but this is a tuple.\n"
      "\x1b[31m│\x1b[0m\n"
      "\x1b[31m│\x1b[0m     upper(\"x\")\n"
      "\x1b[31m╵\x1b[0m\n");
}

TEST(FormatDiagnostic, AnUnderlineOverSeveralLinesEndsWithEachLine) {
  SourceMap sources;
  Diagnostic diagnostic;
  diagnostic.severity = Severity::Warning;
  diagnostic.summary = "Odd";
  diagnostic.subject = SourceRange{sources.add("a.tf", "x {\n}\n"), 2, 5};

  const std::string text = format_diagnostic(diagnostic, sources, {.color = true, .width = 0});

  EXPECT_NE(text.find("   1: x \x1b[4m{\x1b[0m\n"), std::string::npos) << text;
  EXPECT_NE(text.find("   2: \x1b[4m}\x1b[0m\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("\x1b[31m"), std::string::npos);
}

TEST(FormatDiagnostic, SaysWhenThereIsNoSource) {
  SourceMap sources;
  Diagnostic diagnostic;
  diagnostic.summary = "Bad";
  diagnostic.subject = SourceRange{sources.add("<value for var.a>", "1 +"), 0, 1};

  EXPECT_EQ(format_diagnostic(diagnostic, sources, {}),
            "\nError: Bad\n\n  on <value for var.a> line 1:\n  (source code not available)\n\n");
}

TEST(FormatDiagnostic, TextFromOutsideCannotDriveTheTerminal) {
  SourceMap sources;
  Diagnostic diagnostic;
  diagnostic.summary = "a\x1b]0;t\x07";
  diagnostic.detail = "b\x1b[2J";
  diagnostic.in = "x \"\x1b\"";
  diagnostic.values = {{"k\x1b", "is \x1b"}};
  diagnostic.subject = SourceRange{sources.add("n\x1b.tf",
                                               "c\x1b"
                                               "d\n"),
                                   0, 3};

  EXPECT_EQ(format_diagnostic(diagnostic, sources, {.color = false, .width = 80}).find('\x1b'),
            std::string::npos);
}

TEST(CompactWarnings, TakeTwoLinesEach) {
  SourceMap sources;
  const FileId file = sources.add("main.tf", "a\nb\nc\n");
  Diagnostics diags;
  diags.warning("Old").at(SourceRange{file, 2, 3});
  diags.warning("Older").at(SourceRange{file, 4, 5});
  diags.warning("Nowhere");
  diags.items_from(0)[1].folded = {{file, 0, 1}, {file, 2, 3}};

  EXPECT_EQ(format_warnings_compact(diags.items(), sources, {}),
            "Warnings:\n\n- Old\n  on main.tf line 2\n- Older\n  on main.tf line 3 (and 2 more)\n"
            "- Nowhere\n");
}

}  // namespace
}  // namespace tofu::diag
