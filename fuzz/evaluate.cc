// Text to value: any expression or template either evaluates or says why not,
// and does the same again when evaluated again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "fuzz/costly.h"
#include "syntax/eval.h"
#include "syntax/parser.h"
#include "tests/syntax/test_scope.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace syntax = tofu::syntax;
  static const syntax::TestScope scope;
  if (size == 0) return 0;
  const bool is_template = data[0] == 'T';
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (tofu::fuzz::is_costly(text)) return 0;

  tofu::diag::SourceMap sources;
  tofu::diag::Diagnostics parse_diags;
  const auto id = sources.add("fuzz", std::string(text));
  const auto file = is_template ? syntax::parse_template(sources, id, parse_diags)
                                : syntax::parse_expression(sources, id, parse_diags);
  // Also what did not parse in full: tools evaluate such trees.
  tofu::diag::Diagnostics diags;
  const auto result = syntax::evaluate(*file->expr, &scope, diags);
  TOFU_CHECK(result.has_value() != diags.has_errors(), "there is a value or an error");
  tofu::diag::Diagnostics again_diags;
  const auto again = syntax::evaluate(*file->expr, &scope, again_diags);
  TOFU_CHECK(again.has_value() == result.has_value() && again_diags.size() == diags.size(),
             "evaluation does the same every time");
  TOFU_CHECK(!result || raw_equal(*result, *again), "evaluation gives the same every time");
  tofu::diag::Diagnostics constant_diags;
  (void)syntax::evaluate(*file->expr, nullptr, constant_diags);
  return 0;
}
