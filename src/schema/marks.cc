#include "schema/marks.h"

#include <algorithm>
#include <utility>

namespace tofu::schema {

namespace {

using value::Marks;
using value::Path;
using value::Value;

bool is_start_of(const Path& start, const Path& path) {
  if (start.steps.size() > path.steps.size()) return false;
  const auto end = path.steps.begin() + static_cast<std::ptrdiff_t>(start.steps.size());
  return start == Path{{path.steps.begin(), end}};
}

}  // namespace

bool touches_sensitive(std::span<const PathMarks> marks, const Path& path) {
  return std::ranges::any_of(marks, [&](const PathMarks& one) {
    return one.marks.is_sensitive() && (is_start_of(one.path, path) || is_start_of(path, one.path));
  });
}

SchemaMarks::SchemaMarks(const Block& schema)
    : sensitive_(sensitive_attributes(schema)), ephemeral_(schema.ephemeral) {}

Value SchemaMarks::apply(const Value& v) const {
  const Value marked = sensitive_.changed(
      v, [](const Value& secret) { return secret.with_marks(Marks::sensitive()); });
  return ephemeral_ ? marked.with_marks(Marks::ephemeral()) : marked;
}

std::vector<PathMarks> SchemaMarks::of(const Value& v) const {
  std::vector<PathMarks> all;
  if (ephemeral_) all.push_back({{}, Marks::ephemeral()});
  for (Path& path : sensitive_.paths(v)) all.push_back({std::move(path), Marks::sensitive()});
  return all;
}

Value without_write_only(const Selection& write_only, const Value& v) {
  return write_only.changed(v, [](const Value& secret) {
    return secret.unmarked().is_null() ? secret : Value::null(secret.type());
  });
}

}  // namespace tofu::schema
