// What holds for every tree and every report, whatever was parsed.
//
// Reports lie in their files and can be shown; no tree is deeper than recursive
// walks can bear.
#pragma once

#include <string>

#include "base/check.h"
#include "base/json_writer.h"
#include "diag/diagnostic.h"
#include "diag/render_json.h"
#include "diag/render_text.h"
#include "diag/source.h"
#include "syntax/analysis.h"
#include "syntax/ast.h"
#include "syntax/body.h"

namespace tofu::fuzz {

// Also shows a few of them: places may be odd, and showing one must not trip over
// that. All would take most of the time.
inline void check_reports(const diag::Diagnostics& diags, const diag::SourceMap& sources) {
  int to_show = 3;
  for (const diag::Diagnostic& each : diags.items()) {
    TOFU_CHECK(!each.summary.empty(), "a report says something");
    // As in OpenTofu, a JSON string that is not closed is wrong just behind the end.
    TOFU_CHECK(!each.subject || (each.subject->begin <= each.subject->end &&
                                 each.subject->end <= sources.text(each.subject->file).size() + 1),
               "a report is about a place in its file");
    if (to_show-- <= 0) continue;
    std::string shown = diag::format_diagnostic(each, sources, {.color = true, .width = 80});
    base::JsonWriter json(shown);
    diag::write_json(json, each, sources);
  }
}

inline void walk(const syntax::Expr& expr) {
  TOFU_CHECK(syntax::nesting(expr) <= syntax::kMaxNesting, "nesting is bounded");
  for (const syntax::Traversal* traversal : syntax::variables(expr)) {
    TOFU_CHECK(!traversal->root.empty(), "an outside name has a name");
  }
}

inline void walk(const syntax::NativeBody& body) {
  for (const syntax::Attribute& attribute : body.attributes) walk(*attribute.expr);
  for (const syntax::NativeBlock& block : body.blocks) walk(block.body);
}

}  // namespace tofu::fuzz
