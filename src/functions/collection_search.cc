// Finding elements: by position, by value, by the value of a neighbor.
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "functions/arguments.h"
#include "functions/collection.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/seen_values.h"
#include "value/convert.h"
#include "value/operations.h"

namespace tofu::functions {

namespace {

using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

enum class Answer { No, Yes, Unknown };

// value::equals without making a Value of the usual answer.
Answer is_equal(const Value& a, const Value& b) {
  if (a.wholly_known() && b.wholly_known()) return known_equal(a, b) ? Answer::Yes : Answer::No;
  const Value equal = value::equals(a, b);
  if (equal.is_unknown()) return Answer::Unknown;
  return equal.plain().as_bool() ? Answer::Yes : Answer::No;
}

CallResult<Value> contains(Arguments arguments, Type) {
  const Value& list = arguments[0];
  if (!is_sequence(list.type())) {
    return call_error("only lists, sets and tuples can be searched");
  }
  const Value& wanted = arguments[1];
  if (list.kind() == Kind::Set && list.wholly_known() && wanted.wholly_known() &&
      wanted.type() == list.type().element()) {
    return Value::boolean(list.plain().set_contains(wanted));
  }
  bool undecided = false;
  for (const Value& item : list.plain().items()) {
    const Answer answer = is_equal(wanted, item);
    if (answer == Answer::Yes) return Value::boolean(true);
    if (answer == Answer::Unknown) undecided = true;
  }
  return undecided ? Value::unknown(Type::boolean()) : Value::boolean(false);
}

CallResult<Value> index(Arguments arguments, Type) {
  const Value& list = arguments[0];
  if (!is_list_or_tuple(list.type())) {
    return call_error("only lists and tuples have indexes to find");
  }
  if (list.plain().size() == 0) return call_error("the list to search is empty");
  for (std::size_t i = 0; i < list.plain().size(); ++i) {
    const Answer answer = is_equal(list.plain().items()[i], arguments[1]);
    if (answer == Answer::Unknown) return Value::unknown(Type::number());
    if (answer == Answer::Yes) return Value::integer(static_cast<std::int64_t>(i));
  }
  return call_error("no element of the list is equal to the given value");
}

// An index that may lie before or after the list: it is taken round and round.
std::size_t wrapped(std::int64_t index, std::size_t length) {
  const auto size = static_cast<std::int64_t>(length);
  const std::int64_t rest = index % size;
  return static_cast<std::size_t>(rest < 0 ? rest + size : rest);
}

CallError empty_list() { return call_error("an empty list has no elements to take"); }

CallResult<Type> element_type(Arguments arguments) {
  const Type type = arguments[0].type();
  if (type.kind() == TypeKind::List) return type.element();
  if (type.kind() != TypeKind::Tuple) {
    return call_error(fmt::format("a list or tuple is required, not {}", friendly_name(type)));
  }
  if (arguments[1].is_unknown()) return Type::dynamic();
  const std::optional<std::int64_t> index = whole(arguments[1]);
  if (!index) return call_error(not_whole());
  if (type.elements().empty()) return empty_list();
  return type.elements()[wrapped(*index, type.elements().size())];
}

CallResult<Value> element(Arguments arguments, Type) {
  const std::optional<std::int64_t> index = whole(arguments[1]);
  if (!index) return call_error(not_whole());
  const auto& list = arguments[0].unmarked();
  if (list.size() == 0) return empty_list();
  return list.items()[wrapped(*index, list.size())].with_marks(arguments[0].marks());
}

std::optional<Type> key_type(Arguments arguments) {
  const Type types[] = {arguments[1].type(), arguments[2].type()};
  return unify(types, value::Safety::AllowUnsafe);
}

CallResult<Type> match_keys_type(Arguments arguments) {
  if (!key_type(arguments)) {
    return call_error("the keys and the keys to search for need to be of one type");
  }
  return arguments[0].type();
}

// Looks keys up in a list that may have unknown elements. Such an element makes
// the answer unknown, but only for keys that nothing before it settles.
class KeySearch {
 public:
  explicit KeySearch(std::span<const Value> wanted) : seen_(wanted.size()), rest_(wanted) {
    while (!rest_.empty() && rest_[0].wholly_known()) {
      seen_.add(rest_[0]);
      rest_ = rest_.subspan(1);
    }
  }

  Answer find(const Value& key) {
    if (seen_.contains(key)) return Answer::Yes;
    for (const Value& wanted : rest_) {
      if (const Answer answer = is_equal(key, wanted); answer != Answer::No) return answer;
    }
    return Answer::No;
  }

 private:
  SeenValues seen_;
  std::span<const Value> rest_;  // from the first that is not wholly known
};

CallResult<Value> match_keys(Arguments arguments, Type type) {
  const Value& values = arguments[0];
  if (values.plain().size() != arguments[1].plain().size()) {
    return call_error("the number of keys must equal the number of values");
  }
  const Type keys_type = *key_type(arguments);
  const auto keys = value::convert(arguments[1], keys_type);
  const auto wanted = value::convert(arguments[2], keys_type);
  if (!keys || !wanted) {
    return call_error("the keys and the keys to search for need to be of one type");
  }
  const Value none = Value::list(values.type().element(), {});
  if (wanted->plain().size() == 0) return none;
  if (!values.wholly_known() || !keys->wholly_known()) return Value::unknown(type);

  KeySearch search(wanted->plain().items());
  std::vector<Value> found;
  for (std::size_t i = 0; i < keys->plain().size(); ++i) {
    const Answer answer = search.find(keys->plain().items()[i]);
    if (answer == Answer::Unknown) return none;  // not an unknown: OpenTofu does this too
    if (answer == Answer::Yes) found.push_back(values.plain().items()[i]);
  }
  return Value::list(values.type().element(), std::move(found));
}

}  // namespace

void add_search(List& list) {
  const Type any = Type::dynamic();
  const Type any_list = Type::list(any);
  define(list, "contains", "Whether a list, set or tuple has an element equal to the given value.")
      .takes("list", any)
      .takes("value", any, {.null = true, .dynamic = true})
      .gives(Type::boolean())
      .as(contains);
  define(list, "element",
         "The element at an index of a list or tuple. Beyond the end it starts over from the "
         "beginning.")
      .takes("list", any, {.marked = true})
      .takes("index", Type::number())
      .gives(element_type)
      .may_give_null()
      .as(element);
  define(list, "index", "The index of the first element of a list that equals the given value.")
      .takes("list", any)
      .takes("value", any)
      .gives(Type::number())
      .as(index);
  define(list, "matchkeys",
         "Those elements of a list whose counterparts in a list of keys are among the keys to "
         "search for.")
      .takes("values", any_list)
      .takes("keys", any_list)
      .takes("searchset", any_list)
      .gives(match_keys_type)
      .as(match_keys);
}

}  // namespace tofu::functions
