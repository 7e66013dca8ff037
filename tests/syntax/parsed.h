// One piece of source text, parsed, for tests: the tree, or where the errors are.
//
// Errors are shown as "3-5", the bytes that a diagnostic points at, because their
// places have to agree with OpenTofu's while their words are ours.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"
#include "tests/syntax/tree_dump.h"

namespace tofu::syntax {

inline std::string places(const diag::Diagnostics& diags) {
  std::string out;
  for (const diag::Diagnostic& diagnostic : diags.items()) {
    out += out.empty() ? "" : " ";
    if (diagnostic.severity == diag::Severity::Warning) out += "warning ";
    out += diagnostic.subject ? std::to_string(diagnostic.subject->begin) + "-" +
                                    std::to_string(diagnostic.subject->end)
                              : "nowhere";
  }
  return out;
}

class ParsedText {
 public:
  using Parse = std::unique_ptr<File>(const diag::SourceMap&, diag::FileId, diag::Diagnostics&);

  ParsedText(Parse* parse, std::string_view text)
      : id_(sources.add("test", std::string(text))), file(parse(sources, id_, diags)) {
    diags.sort_by_place();
  }

  // The tree, or "errors" and their places.
  std::string result(bool ranges = false) const {
    if (diags.has_errors()) return "errors " + places(diags);
    if (file->native) return dump(*file->native, ranges);
    return dump(file->json ? *file->json : *file->expr, ranges);
  }

  diag::SourceMap sources;
  diag::Diagnostics diags;

 private:
  diag::FileId id_;

 public:
  std::unique_ptr<File> file;
};

inline std::string expression(std::string_view text) {
  return ParsedText(parse_expression, text).result();
}
inline std::string template_text(std::string_view text) {
  return ParsedText(parse_template, text).result();
}
inline std::string body(std::string_view text) { return ParsedText(parse_file, text).result(); }

// One row of a table: what is parsed and what comes out.
struct Case {
  std::string_view text;
  std::string_view result;
};

}  // namespace tofu::syntax
