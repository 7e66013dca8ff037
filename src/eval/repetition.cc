#include "eval/repetition.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "eval/expressions.h"
#include "value/convert.h"
#include "value/marks.h"

namespace tofu::eval {

namespace {

using value::Type;
using value::Value;

void refuse(std::string_view argument, const syntax::Expr& expr, std::string detail,
            diag::Diagnostics& diags) {
  diags.error(fmt::format("Invalid {} argument", argument))
      .detail(std::move(detail))
      .at(expr.range);
}

bool is_tuple_allowed(Type type, Tuples tuples) {
  return type.kind() == value::TypeKind::Tuple && tuples == Tuples::Allowed;
}

bool has_keys(Type type) {
  return type.kind() == value::TypeKind::Map || type.kind() == value::TypeKind::Object;
}

class ForEachCheck {
 public:
  ForEachCheck(const syntax::Expr& expr, Tuples tuples, diag::Diagnostics& diags)
      : expr_(expr), tuples_(tuples), diags_(diags) {}

  ForEach check(const Value& given);

 private:
  void check_type(Type type);
  void check_set(const Value& set);
  void check_marks(const value::Marks& marks);
  void refuse(std::string detail) {
    eval::refuse("for_each", expr_, std::move(detail), diags_);
    refused_ = true;
  }

  const syntax::Expr& expr_;
  Tuples tuples_;
  diag::Diagnostics& diags_;
  bool refused_ = false;
};

void ForEachCheck::check_type(Type type) {
  if (type.is_dynamic() || has_keys(type) || is_tuple_allowed(type, tuples_)) return;
  if (type.kind() != value::TypeKind::Set) {
    refuse(
        fmt::format("A map, an object or a set of strings is needed here, not a value of type "
                    "{}. A list becomes a set with toset().",
                    value::friendly_name(type)));
    return;
  }
  const Type element = type.element();
  if (element.is_dynamic() || element == Type::string()) return;
  refuse(fmt::format("A set has to be one of strings here, not one of {}.",
                     value::friendly_name(element)));
}

void ForEachCheck::check_set(const Value& set) {
  if (set.is_null() || !set.wholly_known() || set.type().kind() != value::TypeKind::Set) return;
  for (const Value& item : set.plain().items()) {
    if (!item.is_null()) continue;
    refuse("A set for for_each cannot hold null: every element becomes part of an address.");
    return;
  }
}

void ForEachCheck::check_marks(const value::Marks& marks) {
  if (marks.is_sensitive()) {
    refuse(
        "The value is sensitive, or derived from one that is. Its keys would be shown as part "
        "of addresses.");
  }
  if (marks.is_ephemeral()) {
    refuse(
        "The value is ephemeral, or derived from one that is. Its keys would be kept as part "
        "of addresses.");
  }
}

ForEach ForEachCheck::check(const Value& given) {
  const auto plain = given.unmarked();
  check_type(plain.type());
  check_set(plain);
  if (plain.is_null()) refuse("The value is null.");
  check_marks(given.marks());
  if (refused_) return {true, std::nullopt};
  const bool is_set = plain.type().kind() == value::TypeKind::Set;
  if (plain.is_unknown() || (is_set && !plain.wholly_known())) return {false, std::nullopt};
  return {true, plain};
}

}  // namespace

std::optional<Value> evaluate_count(const syntax::Expr& expr, const Names& names,
                                    diag::Diagnostics& diags) {
  const auto given = evaluate_as(Type::number(), expr, names, diags);
  if (!given) return std::nullopt;
  const auto fail = [&](std::string detail) -> std::optional<Value> {
    refuse("count", expr, std::move(detail), diags);
    return std::nullopt;
  };
  if (given->marks().is_ephemeral()) {
    return fail(
        "The value is ephemeral, or derived from one that is. How many instances there "
        "are would be kept.");
  }
  const auto count = given->unmarked();
  if (count.is_null()) return fail("The value is null. A whole number is needed.");
  if (count.is_unknown()) return Value::unknown(Type::number());
  const auto whole = count.as_number().to_int64();
  if (!whole) return fail("The value is not a whole number that could be counted to.");
  if (*whole < 0) return fail("The value is below zero.");
  return count;
}

std::optional<Value> evaluate_enabled(const syntax::Expr& expr, const Names& names,
                                      diag::Diagnostics& diags) {
  const auto given = evaluate(expr, names, diags);
  if (!given) return std::nullopt;
  const std::size_t before = diags.error_count();
  const auto fail = [&](std::string detail) { refuse("enabled", expr, std::move(detail), diags); };
  if (given->marks().is_sensitive()) {
    fail(
        "The value is sensitive, or derived from one that is. Whether there is an instance would "
        "show it.");
  }
  if (given->marks().is_ephemeral()) {
    fail(
        "The value is ephemeral, or derived from one that is. Whether there is an instance would "
        "be kept.");
  }
  const auto plain = given->unmarked();
  if (plain.is_null()) fail("The value is null. Either true or false is needed.");
  if (diags.error_count() != before) return std::nullopt;
  auto truth = value::convert(plain, Type::boolean());
  if (truth) return std::move(*truth);
  fail(fmt::format("Either true or false is needed: {}.", value::to_string(truth.error())));
  return std::nullopt;
}

ForEach evaluate_for_each(const syntax::Expr& expr, const Names& names, Tuples tuples,
                          diag::Diagnostics& diags) {
  if (check_references(uses_of(expr), names, diags) != Checked::Good) return {true, std::nullopt};
  const std::size_t before = diags.error_count();
  const Value given = syntax::evaluate_despite_errors(expr, &names, diags);
  ForEach each = ForEachCheck(expr, tuples, diags).check(given);
  if (diags.error_count() != before) each.elements.reset();
  return each;
}

std::size_t Expansion::size() const {
  if (!is_known()) return 0;
  switch (kind_) {
    case Kind::Single: return 1;
    case Kind::Count: return static_cast<std::size_t>(*value_.unmarked().as_number().to_int64());
    case Kind::ForEach: return value_.unmarked().items().size();
    case Kind::Enabled: return value_.unmarked().as_bool() ? 1 : 0;
  }
  return 0;
}

std::vector<addrs::InstanceKey> Expansion::keys() const {
  std::vector<addrs::InstanceKey> keys;
  const std::size_t count = size();
  keys.reserve(count);
  switch (kind_) {
    case Kind::Single:
    case Kind::Enabled: keys.resize(count); break;
    case Kind::Count:
      for (std::size_t i = 0; i < count; ++i) keys.emplace_back(static_cast<std::int64_t>(i));
      break;
    case Kind::ForEach:
      if (!is_known()) break;
      value::for_each_element(value_.unmarked(), [&](const Value& key, const Value&) {
        keys.emplace_back(std::string(key.unmarked().as_string()));
      });
      std::ranges::sort(keys);
      break;
  }
  return keys;
}

bool Expansion::has(const addrs::InstanceKey& key) const {
  if (!is_known()) return false;
  switch (kind_) {
    case Kind::Single:
    case Kind::Enabled: return key.is_none() && size() == 1;
    case Kind::Count: {
      const std::int64_t* number = key.number();
      return number != nullptr && *number >= 0 && static_cast<std::size_t>(*number) < size();
    }
    case Kind::ForEach: return key.text() != nullptr && element(*key.text()).has_value();
  }
  return false;
}

// What each.value is. In a set an element is its own key.
std::optional<Value> Expansion::element(std::string_view key) const {
  if (has_keys(value_.type())) {
    const value::Value* found = value_.unmarked().find(key);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  Value text = Value::string(std::string(key));
  return value_.unmarked().set_contains(text) ? std::optional(std::move(text)) : std::nullopt;
}

Standing Expansion::standing(const Standing& outside, const addrs::InstanceKey& key) const {
  Standing standing = outside;
  switch (kind_) {
    case Kind::Single:
    case Kind::Enabled: break;
    case Kind::Count: standing.count_index = is_known() ? key.value() : some_count_index(); break;
    case Kind::ForEach:
      standing.each_key = is_known() ? key.value() : some_each_key();
      standing.each_value =
          is_known() ? element(*key.text()).value_or(Value::unknown()) : Value::unknown();
      break;
  }
  return standing;
}

std::optional<Expansion> evaluate_repetition(const config::Repetition& repetition,
                                             const Names& names, diag::Diagnostics& diags) {
  if (repetition.count != nullptr) {
    auto count = evaluate_count(*repetition.count, names, diags);
    if (!count) return std::nullopt;
    return Expansion(Expansion::Kind::Count, std::move(*count));
  }
  if (repetition.enabled != nullptr) {
    auto enabled = evaluate_enabled(*repetition.enabled, names, diags);
    if (!enabled) return std::nullopt;
    return Expansion(Expansion::Kind::Enabled, std::move(*enabled));
  }
  if (repetition.for_each == nullptr) return Expansion();
  const std::size_t before = diags.error_count();
  ForEach each = evaluate_for_each(*repetition.for_each, names, Tuples::Refused, diags);
  if (diags.error_count() != before) return std::nullopt;
  return Expansion(Expansion::Kind::ForEach,
                   each.elements ? std::move(*each.elements) : Value::unknown());
}

}  // namespace tofu::eval
