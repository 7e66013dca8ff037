// Text as a template: parsing always gives a tree; a text that opens no sequence
// stands for itself, as does any text once it is escaped.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/unicode.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "fuzz/walk.h"
#include "syntax/eval.h"
#include "syntax/generate.h"
#include "syntax/parser.h"
#include "value/value.h"

namespace {

namespace syntax = tofu::syntax;
using tofu::value::Value;

using Parse = decltype(&syntax::parse_template);

// What the text evaluates to without any names, if it parses.
std::optional<Value> constant(Parse parse, std::string text) {
  tofu::diag::SourceMap sources;
  tofu::diag::Diagnostics diags;
  const auto id = sources.add("fuzz", std::move(text));
  const auto file = parse(sources, id, diags);
  tofu::fuzz::walk(*file->expr);
  tofu::fuzz::check_reports(diags, sources);
  if (diags.has_errors()) return std::nullopt;
  return syntax::evaluate(*file->expr, nullptr, diags);
}

bool opens_sequence(std::string_view text) {
  return text.find("${") != std::string_view::npos || text.find("%{") != std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::optional<Value> read = constant(syntax::parse_template, text);
  // A byte order mark at the very start is no part of the text, as in OpenTofu.
  if (!tofu::base::is_valid_utf8(text) || text.starts_with("\uFEFF")) return 0;
  const Value whole = Value::string(text);
  TOFU_CHECK(opens_sequence(text) || (read && raw_equal(*read, whole)),
             "a plain text stands for itself");

  const std::string quoted = "\"" + syntax::escaped_text(whole.plain().as_string()) + "\"";
  const std::optional<Value> again = constant(syntax::parse_expression, quoted);
  TOFU_CHECK(again && raw_equal(*again, whole), "an escaped text reads back as it was");
  return 0;
}
