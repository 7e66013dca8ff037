#include "diag/render_json.h"

#include <gtest/gtest.h>

namespace tofu::diag {
namespace {

std::string json(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::string out;
  base::JsonWriter writer(out, "  ");
  write_json(writer, diagnostic, sources);
  return out;
}

// Fields recorded from OpenTofu 1.12.6 (`tofu validate -json`).
TEST(DiagnosticJson, HasTheFieldsEditorsDependOn) {
  SourceMap sources;
  Diagnostic diagnostic;
  diagnostic.summary = "Bad <call>";
  diagnostic.detail = "Mend it.";
  diagnostic.address = "module.a";
  diagnostic.in = "locals";
  diagnostic.subject = SourceRange{sources.add("main.tf", "locals {\n  a = f(é)\n}\n"), 17, 19};
  diagnostic.values = {{"b", "is 1"}, {"a", "is 2"}};
  diagnostic.call = ShownCall{"f", "f(x)", R"({"name":"f","params":[]})"};

  EXPECT_EQ(json(diagnostic, sources), R"json({
  "severity": "error",
  "summary": "Bad \u003ccall\u003e",
  "detail": "Mend it.",
  "address": "module.a",
  "range": {
    "filename": "main.tf",
    "start": {
      "line": 2,
      "column": 9,
      "byte": 17
    },
    "end": {
      "line": 2,
      "column": 10,
      "byte": 19
    }
  },
  "snippet": {
    "context": "locals",
    "code": "  a = f(é)",
    "start_line": 2,
    "highlight_start_offset": 8,
    "highlight_end_offset": 10,
    "values": [
      {
        "traversal": "a",
        "statement": "is 2"
      },
      {
        "traversal": "b",
        "statement": "is 1"
      }
    ],
    "function_call": {
      "called_as": "f",
      "signature": {
        "name": "f",
        "params": []
      }
    }
  }
})json");
}

TEST(DiagnosticJson, ADifferenceHasTheDocumentsOfAChange) {
  SourceMap sources;
  Diagnostic diagnostic;
  diagnostic.summary = "Odd";
  diagnostic.difference = ShownDifference{"1", "", "true", "false", "false"};

  EXPECT_NE(json(diagnostic, sources).find(R"("difference": {
    "before": 1,
    "after_unknown": true,
    "before_sensitive": false,
    "after_sensitive": false
  })"),
            std::string::npos);
}

TEST(DiagnosticJson, LeavesOutWhatIsUnknown) {
  SourceMap sources;
  Diagnostic diagnostic;
  diagnostic.severity = Severity::Warning;
  diagnostic.summary = "Odd";

  EXPECT_EQ(json(diagnostic, sources),
            "{\n  \"severity\": \"warning\",\n  \"summary\": \"Odd\",\n  \"detail\": \"\"\n}");
}

TEST(DiagnosticJson, HasARangeButNoSnippetWhereThereIsNoFile) {
  SourceMap sources;
  Diagnostic diagnostic;
  diagnostic.subject = SourceRange{sources.add("<value for var.a>", "1 +"), 0, 1};

  const std::string text = json(diagnostic, sources);

  EXPECT_NE(text.find("\"range\""), std::string::npos);
  EXPECT_EQ(text.find("\"snippet\""), std::string::npos);
}

TEST(DiagnosticJson, ContextIsNullOutsideOfBlocks) {
  SourceMap sources;
  Diagnostic diagnostic;
  diagnostic.subject = SourceRange{sources.add("a.tf", "x"), 0, 1};

  EXPECT_NE(json(diagnostic, sources).find("\"context\": null,"), std::string::npos);
}

}  // namespace
}  // namespace tofu::diag
