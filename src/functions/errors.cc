#include "functions/errors.h"

#include <utility>

#include "base/unicode.h"
#include "functions/arguments.h"

namespace tofu::functions {

syntax::CallError call_error(std::string what) {
  return syntax::CallError{std::move(what), std::nullopt};
}

std::string shown(std::string_view text, value::Marks marks) {
  if (marks.is_sensitive() && marks.is_ephemeral()) return "(ephemeral sensitive value)";
  if (marks.is_ephemeral()) return "(ephemeral value)";
  if (marks.is_sensitive()) return "(sensitive value)";
  return base::quote_go(text);
}

syntax::CallResult<std::int64_t> whole_number(const value::Value& argument,
                                              std::optional<std::size_t> position) {
  if (const auto number = whole(argument)) return *number;
  return syntax::CallError{not_whole(), position};
}

}  // namespace tofu::functions
