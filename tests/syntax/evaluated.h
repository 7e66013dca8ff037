// An expression as text, evaluated among names of every sort: the value as
// plain_text has it, or where the errors are.
//
// Expected results in tables were recorded from OpenTofu 1.12.6's evaluator.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/eval.h"
#include "syntax/parser.h"
#include "tests/syntax/plain_text.h"
#include "tests/syntax/test_scope.h"
#include "value/value.h"

namespace tofu::syntax {

// "error 3-5", or "error 3-5 in 0-9" with a wider context, in order of place.
inline std::string error_places(diag::Diagnostics& diags) {
  diags.sort_by_place();
  std::string out;
  for (const diag::Diagnostic& diagnostic : diags.items()) {
    if (!out.empty()) out += ", ";
    out += fmt::format("error {}-{}", diagnostic.subject->begin, diagnostic.subject->end);
    if (diagnostic.context) {
      out += fmt::format(" in {}-{}", diagnostic.context->begin, diagnostic.context->end);
    }
  }
  return out;
}

enum class As : std::uint8_t { Expression, Template };

class Evaluated {
 public:
  explicit Evaluated(std::string_view text, As as = As::Expression, bool with_scope = true) {
    const diag::FileId id = sources.add("test", std::string(text));
    file = as == As::Template ? parse_template(sources, id, diags)
                              : parse_expression(sources, id, diags);
    if (diags.has_errors()) return;
    result = evaluate(*file->expr, with_scope ? &scope : nullptr, diags);
  }

  std::string outcome() { return result ? plain_text(*result) : error_places(diags); }

  TestScope scope;
  diag::SourceMap sources;
  diag::Diagnostics diags;
  std::unique_ptr<File> file;
  std::optional<value::Value> result;
};

inline std::string evaluated(std::string_view text) { return Evaluated(text).outcome(); }

struct Row {
  std::string_view text;
  std::string_view want;
};

inline void expect_rows(const std::vector<Row>& rows, As as = As::Expression) {
  for (const Row& row : rows) {
    EXPECT_EQ(Evaluated(row.text, as).outcome(), row.want) << row.text;
  }
}

}  // namespace tofu::syntax
