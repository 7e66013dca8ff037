// format and formatlist.
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "functions/arguments.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "functions/format_text.h"
#include "value/operations.h"
#include "value/size_limit.h"

namespace tofu::functions {

namespace {

using syntax::argument_error;
using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

CallResult<Value> format(Arguments arguments, Type) {
  const std::string_view text = arguments[0].plain().as_string();
  const Arguments values = arguments.subspan(1);
  if (std::ranges::all_of(values, &Value::wholly_known)) {
    CallResult<std::string> result = FormatString(text).apply(values);
    if (!result) return std::move(result).error();
    return Value::string(*result);
  }
  // The text before the first verb is known already.
  const Value unknown = Value::unknown(Type::string());
  const std::size_t percent = text.find('%');
  if (percent == text.npos || percent == 0) return unknown;
  value::Refinements known;
  known.prefix = value::safe_prefix(text.substr(0, percent));
  return unknown.refined(known);
}

// The values of formatlist: sequences give one element to each row, everything
// else takes part in every row.
struct Rows {
  std::size_t count = 1;
  std::vector<bool> by_element;  // for each value
  bool unknown = false;          // a sequence of unknown length, or it might become one
};

CallResult<Rows> arrange(Arguments values) {
  Rows rows;
  rows.by_element.resize(values.size());
  std::optional<std::size_t> decided_by;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& v = values[i];
    const Type type = v.type();
    if (!is_sequence(type) || v.is_null()) {
      if (v.is_unknown() && type.is_dynamic()) rows.unknown = true;
      continue;
    }
    if (v.is_unknown()) rows.unknown = true;
    std::size_t length = 0;
    if (type.kind() == TypeKind::Tuple) {
      length = type.elements().size();
    } else if (v.is_unknown() || value::length(v).is_unknown()) {
      rows.unknown = true;
      continue;
    } else {
      length = v.plain().size();
    }
    if (decided_by && length != rows.count) {
      return argument_error(
          i + 1,
          fmt::format("the sequence has {}, but argument {} has {}; all need the same number",
                      base::counted(length, "element"), *decided_by + 1, rows.count));
    }
    if (!decided_by) decided_by = i;
    rows.count = length;
    rows.by_element[i] = true;
  }
  return rows;
}

CallResult<Value> format_list(Arguments arguments, Type type) {
  const Arguments values = arguments.subspan(1);
  const CallResult<Rows> rows = arrange(values);
  if (!rows) return rows.error();
  if (rows->unknown) return Value::unknown(type);

  const FormatString text(arguments[0].plain().as_string());
  std::vector<Value> results;
  results.reserve(rows->count);
  std::vector<Value> row(values.size());
  // OpenTofu leaves a row at its first unknown value, and the sequences after that one
  // then do not move on: the next row gets the elements that this one did not take.
  std::vector<std::size_t> next(values.size());
  std::size_t total = 0;  // bytes in all rows
  for (std::size_t number = 0; number < rows->count; ++number) {
    bool known = true;
    for (std::size_t i = 0; known && i < values.size(); ++i) {
      row[i] = rows->by_element[i] ? values[i].plain().items()[next[i]++] : values[i];
      known = row[i].wholly_known();
    }
    if (!known) {
      results.push_back(Value::unknown(Type::string()).refined_not_null());
      continue;
    }
    CallResult<std::string> result = text.apply(row);
    if (!result) {
      return call_error(fmt::format("row {}: {}", number, result.error().what));
    }
    total += result->size();
    if (total > value::kMaxTextSize) return call_error(value::text_too_long());
    results.push_back(Value::string(*result));
  }
  return Value::list(Type::string(), std::move(results));
}

}  // namespace

void add_format(List& list) {
  const Type string = Type::string();
  constexpr Accepts kPrintable{.null = true, .unknown = true, .dynamic = true};
  define(list, "format", "Puts values into a string where its verbs, such as %s or %d, stand.")
      .takes("format", string)
      .takes_many("args", Type::dynamic(), kPrintable)
      .gives(string)
      .as(format);
  define(list, "formatlist",
         "Formats one string for each element of the given sequences, which have the same length.")
      .takes("format", string)
      .takes_many("args", Type::dynamic(), kPrintable)
      .gives(Type::list(string))
      .as(format_list);
}

}  // namespace tofu::functions
