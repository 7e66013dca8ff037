// Functions on strings. "Character" means grapheme cluster where they count.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/trim.h"
#include "base/unicode.h"
#include "functions/arguments.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "value/size_limit.h"

namespace tofu::functions {

namespace {

using syntax::argument_error;
using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Type;
using value::Value;

template <class Change>
std::string for_each_code_point(std::string_view text, Change change) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const base::Decoded next = base::decode_utf8(text);
    const char32_t changed = change(next.code);
    if (changed < 0x80) {
      out += static_cast<char>(changed);
    } else {
      base::append_utf8(out, changed);
    }
    text.remove_prefix(next.length);
  }
  return out;
}

CallResult<Value> upper(Arguments arguments, Type) {
  return Value::string(for_each_code_point(arguments[0].plain().as_string(), base::to_upper));
}

CallResult<Value> lower(Arguments arguments, Type) {
  return Value::string(for_each_code_point(arguments[0].plain().as_string(), base::to_lower));
}

// The separators of words for title(): every ASCII character that is no letter, digit or
// underscore, but beyond ASCII only white space.
bool separates_words(char32_t code) {
  if (code < 0x80) return !base::is_ascii_alphanumeric(code) && code != '_';
  return !base::is_letter(code) && !base::is_digit(code) && base::is_space(code);
}

CallResult<Value> title(Arguments arguments, Type) {
  char32_t previous = ' ';
  return Value::string(for_each_code_point(arguments[0].plain().as_string(), [&](char32_t code) {
    const char32_t changed = separates_words(previous) ? base::to_title(code) : code;
    previous = code;
    return changed;
  }));
}

CallResult<Value> reverse(Arguments arguments, Type) {
  std::string_view rest = arguments[0].plain().as_string();
  std::string out(rest.size(), '\0');
  std::size_t free = out.size();
  while (!rest.empty()) {
    const std::size_t length = base::first_grapheme(rest);
    free -= length;
    rest.copy(out.data() + free, length);
    rest.remove_prefix(length);
  }
  return Value::string(out);
}

// Bytes of the first `count` characters; fewer if the text ends before.
std::size_t bytes_of_characters(std::string_view text, std::int64_t count) {
  std::size_t bytes = 0;
  for (std::int64_t i = 0; i < count && bytes < text.size(); ++i) {
    bytes += base::first_grapheme(text.substr(bytes));
  }
  return bytes;
}

CallResult<Value> substring(Arguments arguments, Type) {
  std::string_view text = arguments[0].plain().as_string();
  std::optional<std::int64_t> offset = whole(arguments[1]);
  std::optional<std::int64_t> length = whole(arguments[2]);
  if (!offset || !length) return call_error(not_whole());

  if (*offset < 0) {
    *offset += static_cast<std::int64_t>(base::count_graphemes(text));
    // A length of zero means nothing here, only after an offset from the start:
    // OpenTofu gives all the rest, and so do we.
    if (*length == 0) *length = -1;
  } else if (*length == 0) {
    return Value::string("");
  }
  if (*offset > 0) text.remove_prefix(bytes_of_characters(text, *offset));
  if (*length >= 0) text = text.substr(0, bytes_of_characters(text, *length));
  return Value::string(text);
}

CallResult<Value> join(Arguments arguments, Type) {
  const std::string_view separator = arguments[0].plain().as_string();
  const Arguments lists = arguments.subspan(1);
  if (lists.empty()) return call_error("at least one list is required");
  if (!std::ranges::all_of(lists, &Value::wholly_known)) return Value::unknown(Type::string());

  std::size_t length = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    std::size_t position = 0;
    for (const Value& item : lists[i].plain().items()) {
      if (item.is_null()) {
        return argument_error(i + 1, fmt::format("element {} is null, and a null cannot be joined "
                                                 "with strings",
                                                 position));
      }
      length += separator.size() + item.plain().as_string().size();
      ++position;
    }
  }
  if (length > value::kMaxTextSize + separator.size()) return call_error(value::text_too_long());

  std::string out;
  out.reserve(length);
  bool first = true;
  for (const Value& list : lists) {
    for (const Value& item : list.plain().items()) {
      if (!first) out += separator;
      out += item.plain().as_string();
      first = false;
    }
  }
  return Value::string(out);
}

CallResult<Value> split(Arguments arguments, Type) {
  const std::string_view separator = arguments[0].plain().as_string();
  std::string_view rest = arguments[1].plain().as_string();
  std::vector<Value> parts;
  if (separator.empty()) {
    // By code points, not by characters: OpenTofu does so too.
    for (; !rest.empty(); rest.remove_prefix(base::decode_utf8(rest).length)) {
      parts.push_back(Value::string(rest.substr(0, base::decode_utf8(rest).length)));
      if (parts.size() > value::kMaxElements) return call_error(value::too_many_elements());
    }
    return Value::list(Type::string(), std::move(parts));
  }
  for (std::size_t at = rest.find(separator); at != rest.npos; at = rest.find(separator)) {
    parts.push_back(Value::string(rest.substr(0, at)));
    if (parts.size() > value::kMaxElements) return call_error(value::too_many_elements());
    rest.remove_prefix(at + separator.size());
  }
  parts.push_back(Value::string(rest));
  return Value::list(Type::string(), std::move(parts));
}

CallResult<Value> chomp(Arguments arguments, Type) {
  const std::string_view text = arguments[0].plain().as_string();
  return Value::string(text.substr(0, text.find_last_not_of("\r\n") + 1));
}

CallResult<Value> indent(Arguments arguments, Type) {
  const std::optional<std::int64_t> spaces = whole(arguments[0]);
  if (!spaces) return call_error(not_whole());
  if (*spaces < 0) return call_error("the number of spaces must not be negative");
  const std::string_view text = arguments[1].plain().as_string();

  const auto lines = static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  if (lines == 0) {
    // OpenTofu makes the spaces of a line even where none needs them, and fails only
    // where no address space holds them.
    constexpr std::int64_t kAddressSpace = std::int64_t{1} << 48;
    if (*spaces > kAddressSpace) return call_error(value::text_too_long());
    return arguments[1];
  }
  const auto most = value::kMaxTextSize - std::min(text.size(), value::kMaxTextSize);
  if (static_cast<std::uint64_t>(*spaces) > most / lines) {
    return call_error(value::text_too_long());
  }
  std::string out;
  out.reserve(text.size() + lines * static_cast<std::uint64_t>(*spaces));
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(static_cast<std::size_t>(*spaces), ' ');
  }
  return Value::string(out);
}

CallResult<Value> trim_space(Arguments arguments, Type) {
  return Value::string(base::trim_space(arguments[0].plain().as_string()));
}

CallResult<Value> trim(Arguments arguments, Type) {
  std::set<char32_t> cut;
  for (std::string_view rest = arguments[1].plain().as_string(); !rest.empty();) {
    const base::Decoded next = base::decode_utf8(rest);
    cut.insert(next.code);
    rest.remove_prefix(next.length);
  }
  return Value::string(base::trim(arguments[0].plain().as_string(),
                                  [&](char32_t code) { return cut.contains(code); }));
}

CallResult<Value> trim_prefix(Arguments arguments, Type) {
  std::string_view text = arguments[0].plain().as_string();
  const std::string_view prefix = arguments[1].plain().as_string();
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  return Value::string(text);
}

CallResult<Value> trim_suffix(Arguments arguments, Type) {
  std::string_view text = arguments[0].plain().as_string();
  const std::string_view suffix = arguments[1].plain().as_string();
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
  return Value::string(text);
}

CallResult<Value> starts_with(Arguments arguments, Type) {
  const std::string_view prefix = arguments[1].plain().as_string();
  if (arguments[0].is_known()) {
    return Value::boolean(arguments[0].plain().as_string().starts_with(prefix));
  }
  // The known beginning may decide the result already.
  const std::string& known = arguments[0].plain().refinements().prefix;
  if (known.starts_with(prefix)) return Value::boolean(true);
  if (known.size() >= prefix.size()) return Value::boolean(false);
  return Value::unknown(Type::boolean());
}

CallResult<Value> ends_with(Arguments arguments, Type) {
  return Value::boolean(
      arguments[0].plain().as_string().ends_with(arguments[1].plain().as_string()));
}

CallResult<Value> contains(Arguments arguments, Type) {
  return Value::boolean(arguments[0].plain().as_string().find(arguments[1].plain().as_string()) !=
                        std::string_view::npos);
}

// Functions of one string that give a string.
void add_changes(List& list) {
  const Type string = Type::string();
  const struct {
    std::string_view name;
    std::string_view description;
    CallResult<Value> (*body)(Arguments, Type);
    Accepts accepts;
  } changes[] = {
      {"chomp", "Takes all line ends off the end of a string.", chomp, {}},
      {"lower", "Turns all letters of a string into lower case.", lower, {.dynamic = true}},
      {"strrev", "Reverses the characters of a string.", reverse, {.dynamic = true}},
      {"title", "Turns the first letter of each word into upper case.", title, {}},
      {"trimspace", "Takes white space off both ends of a string.", trim_space, {}},
      {"upper", "Turns all letters of a string into upper case.", upper, {.dynamic = true}},
  };
  for (const auto& change : changes) {
    define(list, change.name, change.description)
        .takes("str", string, change.accepts)
        .gives(string)
        .as(change.body);
  }
}

}  // namespace

void add_string(List& list) {
  const Type string = Type::string();
  const Type number = Type::number();
  const Type boolean = Type::boolean();
  add_changes(list);
  define(list, "endswith", "Whether a string ends with the given text.")
      .takes("str", string)
      .takes("suffix", string)
      .gives(boolean)
      .as(ends_with);
  define(list, "indent", "Puts the given number of spaces after every line end of a string.")
      .takes("spaces", number)
      .takes("str", string)
      .gives(string)
      .as(indent);
  define(list, "join", "Puts the elements of one or more lists into one string, with a separator.")
      .takes("separator", string, {}, "The text between any two elements.")
      .takes_many("lists", Type::list(string), {}, "The lists whose elements are joined in order.")
      .gives(string)
      .as(join);
  define(list, "split", "Cuts a string at every occurrence of a separator.")
      .takes("separator", string, {}, "The text to cut at. If empty, every code point is a part.")
      .takes("str", string)
      .gives(Type::list(string))
      .as(split);
  define(list, "startswith", "Whether a string starts with the given text.")
      .takes("str", string, {.unknown = true})
      .takes("prefix", string)
      .gives(boolean)
      .as(starts_with);
  define(list, "strcontains", "Whether a string contains the given text.")
      .takes("str", string)
      .takes("substr", string)
      .gives(boolean)
      .may_give_null()  // never does, but OpenTofu does not promise it of an unknown
      .as(contains);
  define(list, "substr", "A part of a string, counted in characters.")
      .takes("str", string, {.dynamic = true})
      .takes("offset", number, {.dynamic = true},
             "Where the part begins. A negative offset counts from the end.")
      .takes("length", number, {.dynamic = true},
             "How long the part is at most. Negative: up to the end.")
      .gives(string)
      .as(substring);
  define(list, "trim", "Takes any of the given characters off both ends of a string.")
      .takes("str", string)
      .takes("cutset", string, {}, "The characters to take off, in any order.")
      .gives(string)
      .as(trim);
  define(list, "trimprefix", "Removes a prefix from a string, if the string begins with it.")
      .takes("str", string)
      .takes("prefix", string)
      .gives(string)
      .as(trim_prefix);
  define(list, "trimsuffix", "Removes a suffix from a string, if the string ends with it.")
      .takes("str", string)
      .takes("suffix", string)
      .gives(string)
      .as(trim_suffix);
}

}  // namespace tofu::functions
