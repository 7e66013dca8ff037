#include <fmt/format.h>
#include <unordered_set>

#include "base/unicode.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"

namespace tofu::functions {

namespace {

using syntax::CallResult;
using value::Type;
using value::Value;

// Reads records of RFC 4180 as Go does: blank lines are skipped, a quote may
// stand only at the start of a field or doubled inside a quoted one, CR LF is
// LF everywhere, and a lone CR counts as text except at the very end.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  // The next record in `fields`; false at the end.
  base::Result<bool> next(std::vector<std::string>& fields) {
    do {
      if (rest_.empty()) return false;
      take_line();
    } while (line_.empty());
    record_line_ = line_number_;
    fields.clear();
    while (true) {
      const auto more = line_.starts_with('"') ? quoted_field(fields) : plain_field(fields);
      if (!more) return more.error();
      if (!*more) return true;
    }
  }

  std::size_t record_line() const { return record_line_; }

 private:
  void take_line() {
    const std::size_t end = rest_.find('\n');
    ended_by_newline_ = end != std::string_view::npos;
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(ended_by_newline_ ? end + 1 : rest_.size());
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++line_number_;
  }

  base::Error error(std::string_view what) const {
    return base::Error{fmt::format("line {}: {}", line_number_, what)};
  }

  // Both take one field and the comma after it; false if it was the last.
  base::Result<bool> plain_field(std::vector<std::string>& fields) {
    const std::size_t comma = line_.find(',');
    const std::string_view field = line_.substr(0, comma);
    if (field.find('"') != std::string_view::npos) {
      return error("a quote in the middle of a field that is not quoted");
    }
    fields.emplace_back(field);
    if (comma == std::string_view::npos) return false;
    line_.remove_prefix(comma + 1);
    return true;
  }

  base::Result<bool> quoted_field(std::vector<std::string>& fields) {
    line_.remove_prefix(1);
    std::string field;
    while (true) {
      const std::size_t quote = line_.find('"');
      if (quote == std::string_view::npos) {
        field += line_;
        if (ended_by_newline_) field += '\n';
        if (rest_.empty()) return error("a quoted field is not closed");
        take_line();
        continue;
      }
      field += line_.substr(0, quote);
      line_.remove_prefix(quote + 1);
      if (line_.starts_with('"')) {
        field += '"';
        line_.remove_prefix(1);
        continue;
      }
      const bool last = line_.empty();
      if (!last && line_.front() != ',') return error("text after the closing quote of a field");
      fields.push_back(std::move(field));
      if (!last) line_.remove_prefix(1);
      return !last;
    }
  }

  std::string_view rest_;
  std::string_view line_;  // what is left of the current line, without its end
  bool ended_by_newline_ = false;
  std::size_t line_number_ = 0;
  std::size_t record_line_ = 0;
};

// Where each column goes in a row object, whose attributes are sorted by name.
struct Columns {
  Type row;
  std::vector<std::size_t> positions;
};

base::Result<Columns> columns_of(const std::vector<std::string>& header) {
  std::unordered_set<std::string> names;
  std::vector<value::ObjectAttribute> attributes;
  for (const std::string& name : header) {
    std::string attribute = base::to_nfc(name);
    if (!names.insert(attribute).second) return base::Error{"two columns have the same name"};
    attributes.push_back({std::move(attribute), Type::string()});
  }
  Columns columns{Type::object(std::move(attributes)), {}};
  for (const std::string& name : header) {
    columns.positions.push_back(*columns.row.attribute_index(base::to_nfc(name)));
  }
  return columns;
}

CallResult<Value> csvdecode(syntax::Arguments args, Type) {
  const Value text = args[0];  // keeps the text that the reader looks at
  Reader reader(text.plain().as_string());
  std::vector<std::string> fields;
  const auto header = reader.next(fields);
  if (!header) return call_error(header.error().what);
  if (!*header) return call_error("the text has no header line");
  const auto columns = columns_of(fields);
  if (!columns) return call_error(columns.error().what);

  std::vector<Value> rows;
  while (true) {
    const auto more = reader.next(fields);
    if (!more) return call_error(more.error().what);
    if (!*more) break;
    if (fields.size() != columns->positions.size()) {
      return call_error(fmt::format("line {}: {} fields where the header has {}",
                                    reader.record_line(), fields.size(),
                                    columns->positions.size()));
    }
    std::vector<Value> items(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      items[columns->positions[i]] = Value::string(fields[i]);
    }
    rows.push_back(Value::object(columns->row, std::move(items)));
  }
  return Value::list(columns->row, std::move(rows));
}

}  // namespace

void add_csv(List& list) {
  // The type depends on the header, so it is left open until the text is read.
  define(list, "csvdecode",
         "Reads comma-separated values (RFC 4180) into a list of objects. The first line names "
         "their attributes.")
      .takes("str", Type::string())
      .gives(Type::dynamic())
      .as(csvdecode);
}

}  // namespace tofu::functions
