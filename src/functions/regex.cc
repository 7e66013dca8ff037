// Searching and replacing with regular expressions.
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unicode.h"
#include "functions/arguments.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "functions/regex_pattern.h"
#include "value/size_limit.h"

namespace tofu::functions {

namespace {

using syntax::argument_error;
using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Type;
using value::TypeKind;
using value::Value;

using SharedCache = std::shared_ptr<PatternCache>;  // shared: by the bodies of the three functions
using SharedPattern = std::shared_ptr<const Pattern>;

CallResult<SharedPattern> compile(PatternCache& cache, std::string_view text) {
  auto pattern = cache.compile(text);
  if (!pattern) {
    return argument_error(0, pattern.error().what);
  }
  return *pattern;
}

// Without groups a match is a string, with named ones an object, with others a
// tuple.
CallResult<Type> match_type(const Pattern& pattern) {
  const auto names = pattern.names();
  if (names.empty()) return Type::string();
  const auto unnamed = std::ranges::count(names, std::string());
  if (unnamed == std::ssize(names)) {
    return Type::tuple(std::vector<Type>(names.size(), Type::string()));
  }
  if (unnamed != 0) {
    return argument_error(0, "a pattern has either only named groups or none with a name");
  }
  std::vector<std::string> unique(names.begin(), names.end());
  std::ranges::sort(unique);
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  std::vector<value::ObjectAttribute> attributes;
  for (std::string& name : unique) attributes.push_back({std::move(name), Type::string()});
  return Type::object(std::move(attributes));
}

Value group_value(const std::optional<std::string_view>& group) {
  return group ? Value::string(*group) : Value::null(Type::string());
}

Value match_value(const Pattern& pattern, const Pattern::Groups& groups, Type type) {
  if (type.kind() == TypeKind::String) return group_value(groups[0]);
  std::vector<Value> items(type.kind() == TypeKind::Object ? type.attributes().size() : 0);
  for (std::size_t i = 0; i < pattern.names().size(); ++i) {
    Value item = group_value(groups[i + 1]);
    if (type.kind() == TypeKind::Object) {
      items[*type.attribute_index(pattern.names()[i])] = std::move(item);
    } else {
      items.push_back(std::move(item));
    }
  }
  return type.kind() == TypeKind::Object ? Value::object(type, std::move(items))
                                         : Value::tuple(std::move(items));
}

CallResult<Type> regex_type(PatternCache& cache, Arguments arguments) {
  if (!arguments[0].is_known()) return Type::dynamic();
  const CallResult<SharedPattern> pattern = compile(cache, arguments[0].plain().as_string());
  if (!pattern) return pattern.error();
  return match_type(**pattern);
}

CallResult<Value> regex(PatternCache& cache, Arguments arguments, Type type) {
  const CallResult<SharedPattern> pattern = compile(cache, arguments[0].plain().as_string());
  if (!pattern) return pattern.error();
  Pattern::Groups groups;
  const SearchedText text(arguments[1].plain().as_string());
  if (!(*pattern)->search(text, 0, groups)) {
    return call_error("the pattern matches no part of the string");
  }
  return match_value(**pattern, groups, type);
}

CallResult<Type> regex_all_type(PatternCache& cache, Arguments arguments) {
  const CallResult<Type> element = regex_type(cache, arguments);
  if (!element) return element.error();
  return Type::list(*element);
}

CallResult<Value> regex_all(PatternCache& cache, Arguments arguments, Type type) {
  const CallResult<SharedPattern> pattern = compile(cache, arguments[0].plain().as_string());
  if (!pattern) return pattern.error();
  const SearchedText searched(arguments[1].plain().as_string());
  const std::string_view text = searched.original();

  std::vector<Value> matches;
  Pattern::Groups groups;
  std::optional<std::size_t> previous_end;
  std::size_t from = 0;
  while (from <= text.size() && (*pattern)->search(searched, from, groups)) {
    const auto begin = groups[0]->empty() && text.empty()
                           ? 0
                           : static_cast<std::size_t>(groups[0]->data() - text.data());
    const std::size_t end = begin + groups[0]->size();
    // An empty match right after another one does not count.
    if (end != from || begin != previous_end) {
      matches.push_back(match_value(**pattern, groups, type.element()));
      if (matches.size() > value::kMaxElements) return call_error(value::too_many_elements());
    }
    if (end > from) {
      from = end;
    } else {
      from += from < text.size() ? base::decode_utf8(text.substr(from)).length : 1;
    }
    previous_end = end;
  }
  return Value::list(type.element(), std::move(matches));
}

CallResult<Value> replace_text(std::string_view text, std::string_view old_text,
                               std::string_view new_text) {
  std::string out;
  if (old_text.empty()) {
    // Before every code point, and at the end.
    for (; !text.empty(); text.remove_prefix(base::decode_utf8(text).length)) {
      out += new_text;
      out += text.substr(0, base::decode_utf8(text).length);
      if (out.size() > value::kMaxTextSize) return call_error(value::text_too_long());
    }
    return Value::string(out += new_text);
  }
  for (std::size_t at = text.find(old_text); at != text.npos; at = text.find(old_text)) {
    out += text.substr(0, at);
    out += new_text;
    if (out.size() > value::kMaxTextSize) return call_error(value::text_too_long());
    text.remove_prefix(at + old_text.size());
  }
  return Value::string(out += text);
}

CallResult<Value> replace(PatternCache& cache, Arguments arguments) {
  const std::string_view text = arguments[0].plain().as_string();
  const std::string_view old_text = arguments[1].plain().as_string();
  const std::string_view new_text = arguments[2].plain().as_string();
  if (old_text.size() < 2 || !old_text.starts_with('/') || !old_text.ends_with('/')) {
    return replace_text(text, old_text, new_text);
  }
  const auto pattern = cache.compile(old_text.substr(1, old_text.size() - 2));
  if (!pattern) {
    return call_error(fmt::format("the pattern is not valid: {}", pattern.error().what));
  }
  const auto replaced = (*pattern)->replace_all(text, new_text);
  if (!replaced) return call_error(replaced.error().what);
  return Value::string(*replaced);
}

}  // namespace

void add_regex(List& list) {
  const Type string = Type::string();
  const auto cache = std::make_shared<PatternCache>();
  define(list, "regex",
         "The first match of a regular expression in a string. Groups in the pattern make it an "
         "object (named groups) or a tuple.")
      .takes("pattern", string)
      .takes("string", string)
      .gives([cache](Arguments arguments) { return regex_type(*cache, arguments); })
      .as([cache](Arguments arguments, Type type) { return regex(*cache, arguments, type); });
  define(list, "regexall",
         "A list of all matches of a regular expression in a string, empty if none matches.")
      .takes("pattern", string)
      .takes("string", string)
      .gives([cache](Arguments arguments) { return regex_all_type(*cache, arguments); })
      .as([cache](Arguments arguments, Type type) { return regex_all(*cache, arguments, type); });
  define(list, "replace",
         "A string with every occurrence of some text replaced. Text between slashes is a regular "
         "expression.")
      .takes("str", string)
      .takes("substr", string)
      .takes("replace", string)
      .gives(string)
      .as([cache](Arguments arguments, Type) { return replace(*cache, arguments); });
}

}  // namespace tofu::functions
