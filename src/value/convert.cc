#include "value/convert.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/ascii.h"
#include "base/unicode.h"
#include "value/assemble.h"
#include "value/convert_plan.h"
#include "value/convert_run.h"
#include "value/operations.h"

namespace tofu::value {
namespace {

// A part that turned out null loses its own marks, as it does in OpenTofu.
Value bare_if_null(Value v) { return v.is_null() ? v.unmarked() : v; }

// The element type of an empty result: a decided one rather than `any`.
Type empty_element(Type wanted, Type had) {
  return wanted.is_dynamic() ? had : wanted.without_optional_attributes();
}

// Refinements of an unknown value also hold for the converted value.
Value unknown_result(const Plain& v, Type target) {
  const Type source = v.type();
  const Refinements& known = v.refinements();
  Refinements now;
  now.not_null = known.not_null;
  if (source.kind() == TypeKind::Object && target.kind() == TypeKind::Map) {
    now.length_min = source.attributes().size();
    now.length_max = now.length_min;
  } else if (source.kind() == TypeKind::Tuple && target.kind() == TypeKind::List) {
    now.length_min = source.elements().size();
    now.length_max = now.length_min;
  } else if (source.kind() == TypeKind::Tuple && target.kind() == TypeKind::Set) {
    // Elements may turn out equal, but one of them always stays.
    now.length_max = source.elements().size();
    now.length_min = std::min<std::uint64_t>(1, *now.length_max);
  } else if (source.is_collection() && target.is_collection()) {
    now.length_min = target.kind() == TypeKind::Set ? std::min<std::uint64_t>(1, known.length_min)
                                                    : known.length_min;
    now.length_max = known.length_max;
  }
  const Value result = Value::unknown(target);
  return now.empty() || target.is_dynamic() ? result : result.refined(now);
}

std::string why_not_bool(std::string_view text) {
  const std::string lower = base::ascii_lower(text);
  if (lower == "true" || lower == "false") {
    return fmt::format("a bool is required, which as a string is \"{}\" in lower case", lower);
  }
  return "a bool is required";
}

}  // namespace

std::nullopt_t Runner::fail_at(const Plain& v, std::size_t i) {
  if (v.kind() == Kind::Map) return failure_.at_key(v.map_keys()[i]);
  if (v.kind() != Kind::Object) return failure_.at_position(i);
  // Only met on the way to a map, where names are keys.
  return failure_.at_key(Value::string(v.type().attributes()[i].name));
}

PathResult<Value> Runner::convert(const Value& v, Type to) {
  Plan* plan = planner_.plan(v.type(), to, Safety::AllowUnsafe);
  if (plan == nullptr) return PathError{Path{}, mismatch_message(v.type(), to)};
  Outcome result = run(*plan, v);
  if (result) return *std::move(result);
  return failure_.take();
}

Type Runner::resolved(Plan& plan, Type from) {
  if (from != plan.from) return resolve_dynamic(planner_, from, plan.to_plain);
  if (!plan.resolved) plan.resolved = resolve_dynamic(planner_, from, plan.to_plain);
  return *plan.resolved;
}

Runner::Outcome Runner::run(Plan& plan, const Value& v) {
  if (plan.step == Step::Keep) return v;
  const Plain& inside = v.unmarked();
  Outcome result = inside.is_unknown() ? unknown_result(inside, resolved(plan, v.type()))
                   : inside.is_null()  ? Value::null(resolved(plan, v.type()))
                   : plan.keeps_known && !inside.contains_marks() ? Outcome(inside)
                                                                  : run_known(plan, inside);
  if (!v.is_marked()) return result;
  if (result) return result->with_marks(v.marks());
  failure_.mark_keys(v.marks());
  return std::nullopt;
}

Runner::Outcome Runner::run_known(Plan& plan, const Plain& v) {
  switch (plan.step) {
    case Step::Keep: return v;
    case Step::Late: return run_late(plan, v);
    case Step::NumberToString: return Value::string(v.as_number().to_string());
    case Step::BoolToString: return Value::string(v.as_bool() ? "true" : "false");
    case Step::StringToNumber: {
      auto number = Number::parse(v.as_string());
      if (!number) return failure_.because("a number is required");
      return Value::number(*std::move(number));
    }
    case Step::StringToBool: {
      const std::string_view text = v.as_string();
      if (text == "true" || text == "1") return Value::boolean(true);
      if (text == "false" || text == "0") return Value::boolean(false);
      return failure_.because(why_not_bool(text));
    }
    case Step::ObjectToObject: return object_to_object(plan, v);
    case Step::TupleToTuple: return tuple_to_tuple(plan, v);
    case Step::SequenceToList: return sequence_to_list(plan, v);
    case Step::SequenceToSet: return sequence_to_set(plan, v);
    case Step::MapToMap: return map_to_map(plan, v);
    case Step::TupleToList: return tuple_to_list(plan, v);
    case Step::TupleToSet: return tuple_to_set(plan, v);
    case Step::ObjectToMap: return object_to_map(plan, v);
    case Step::MapToObject: return map_to_object(plan, v);
  }
  base::broken_promise("every conversion step is known");
}

// The value has shown its type at last.
Runner::Outcome Runner::run_late(const Plan& plan, const Plain& v) {
  TOFU_CHECK(!v.type().is_dynamic(), "a known value has a decided type");
  Plan* actual = planner_.plan(v.type(), plan.to, Safety::AllowUnsafe);
  if (actual == nullptr) return failure_.because(mismatch_message(v.type(), plan.to));
  return run(*actual, v);
}

std::optional<std::vector<Value>> Runner::run_items(const Plan& plan, const Plain& v) {
  const auto items = v.items();
  std::vector<Value> result;
  result.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    Outcome item = run(plan.element != nullptr ? *plan.element : *plan.parts[i], items[i]);
    if (!item) {
      fail_at(v, i);
      return std::nullopt;
    }
    result.push_back(*std::move(item));
  }
  return result;
}

Runner::Outcome Runner::object_to_object(const Plan& plan, const Plain& v) {
  const auto wanted = plan.to_plain.attributes();
  const auto items = v.items();
  std::vector<Value> result;
  result.reserve(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (plan.parts[i] == nullptr) {
      result.push_back(Value::null(wanted[i].type));
      continue;
    }
    Outcome item = run(*plan.parts[i], items[plan.sources[i]]);
    if (!item) return failure_.in_attribute(wanted[i].name);
    result.push_back(bare_if_null(*std::move(item)));
  }
  return object_of(plan.to_plain, std::move(result));
}

Runner::Outcome Runner::map_to_object(const Plan& plan, const Plain& v) {
  const auto wanted = plan.to.attributes();
  const auto plain = plan.to_plain.attributes();
  std::vector<Value> result;
  result.reserve(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Value* found = v.find(wanted[i].name);
    if (found == nullptr) {
      if (!wanted[i].optional) {
        return failure_.because(fmt::format("the map lacks the key {}, which is required",
                                            base::quote_go(wanted[i].name)));
      }
      result.push_back(Value::null(plain[i].type));
      continue;
    }
    if (plan.parts[i] == nullptr) {
      return failure_.because(fmt::format("the map's elements do not match attribute {}: {}",
                                          base::quote_go(wanted[i].name),
                                          mismatch_message(found->type(), wanted[i].type)));
    }
    Outcome item = run(*plan.parts[i], *found);
    if (!item) return failure_.at_key(Value::string(wanted[i].name));
    result.push_back(bare_if_null(*std::move(item)));
  }
  return object_of(plan.to_plain, std::move(result));
}

Runner::Outcome Runner::tuple_to_tuple(const Plan& plan, const Plain& v) {
  auto items = run_items(plan, v);
  if (!items) return std::nullopt;
  return Value::tuple(*std::move(items));
}

Runner::Outcome Runner::sequence_to_list(const Plan& plan, const Plain& v) {
  // A set may still lose elements when they become known, so how long the list
  // will be cannot be said.
  if (v.kind() == Kind::Set && length(v).is_unknown()) {
    return Value::unknown(Type::list(v.type().element()));
  }
  auto items = run_items(plan, v);
  if (!items) return std::nullopt;
  if (items->empty()) {
    return Value::list(empty_element(plan.to.element(), v.type().element()), {});
  }
  if (v.contains_marks()) {
    for (Value& item : *items) item = bare_if_null(std::move(item));
  }
  const auto type = settle_types(*items);
  if (!type) return failure_.because("the elements of a list must all have one type");
  return Value::list(*type, *std::move(items));
}

Runner::Outcome Runner::sequence_to_set(const Plan& plan, const Plain& v) {
  auto items = run_items(plan, v);
  if (!items) return std::nullopt;
  if (items->empty()) {
    return Value::set(empty_element(plan.to.element(), v.type().element()), {});
  }
  if (v.contains_marks()) {
    for (Value& item : *items) item = bare_if_null(std::move(item));
  }
  const auto type = settle_types(*items);
  if (!type) return failure_.because("the elements of a set must all have one type");
  return Value::set(*type, *std::move(items));
}

bool Runner::unify_items(const Plain& v, std::vector<Value>& items, Safety safety) {
  std::vector<Type> types;
  types.reserve(items.size());
  for (const Value& item : items) types.push_back(item.type());
  const auto common = planner_.unify(types, safety);
  if (!common) {
    failure_.because("no single type fits all elements");
    return false;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    Plan* plan = planner_.plan(types[i], common->type, safety);
    TOFU_CHECK(plan != nullptr, "whatever was unified converts");
    Outcome item = run(*plan, items[i]);
    if (!item) {
      fail_at(v, i);
      return false;
    }
    items[i] = *std::move(item);
  }
  return true;
}

Runner::Outcome Runner::tuple_to_list(const Plan& plan, const Plain& v) {
  if (v.size() == 0) return Value::list(plan.to_plain.element(), {});
  auto items = run_items(plan, v);
  if (!items) return std::nullopt;
  // With `any` inside the element type each element has chosen for itself.
  const Type first = items->front().type();
  const bool uniform = std::all_of(items->begin(), items->end(),
                                   [&](const Value& item) { return item.type() == first; });
  if (!uniform && !unify_items(v, *items, plan.safety)) return std::nullopt;
  const auto type = settle_types(*items);
  if (!type) return failure_.because("the elements of a list must all have one type");
  return Value::list(*type, *std::move(items));
}

Runner::Outcome Runner::tuple_to_set(const Plan& plan, const Plain& v) {
  if (v.size() == 0) return Value::set(plan.to_plain.element(), {});
  auto items = run_items(plan, v);
  if (!items) return std::nullopt;
  for (Value& item : *items) item = bare_if_null(std::move(item));
  const auto type = settle_types(*items);
  if (!type) return failure_.because("the elements of a set must all have one type");
  return Value::set(*type, *std::move(items));
}

Runner::Outcome Runner::finish_map(const Plan& plan, const Plain& v, std::vector<Value> items,
                                   Type member, Safety unify_safety) {
  if (items.empty()) {
    return Value::map(v.kind() == Kind::Map ? empty_element(plan.to.element(), v.type().element())
                                            : plan.to_plain.element(),
                      {});
  }
  auto type = settle_types(items);
  if (!type && (member.is_collection() || member.kind() == TypeKind::Object)) {
    // With `any` inside the element type each element has chosen for itself.
    if (!unify_items(v, items, unify_safety)) return std::nullopt;
    type = settle_types(items);
  }
  if (!type) return failure_.because("the elements of a map must all have one type");
  std::vector<MapEntry> entries;
  entries.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string_view key = v.kind() == Kind::Map
                                     ? v.map_keys()[i].plain().as_string()
                                     : std::string_view(v.type().attributes()[i].name);
    entries.push_back({std::string(key), std::move(items[i])});
  }
  return Value::map(*type, std::move(entries));
}

Runner::Outcome Runner::map_to_map(const Plan& plan, const Plain& v) {
  auto items = run_items(plan, v);
  if (!items) return std::nullopt;
  return finish_map(plan, v, *std::move(items), plan.to.element(), Safety::SafeOnly);
}

Runner::Outcome Runner::object_to_map(const Plan& plan, const Plain& v) {
  auto items = run_items(plan, v);
  if (!items) return std::nullopt;
  return finish_map(plan, v, *std::move(items), plan.member, plan.safety);
}

bool can_convert(Type from, Type to, Safety safety) {
  if (from == to || to.is_dynamic()) return true;
  Planner planner;
  return planner.plan(from, to, safety) != nullptr;
}

PathResult<Value> convert(const Value& v, Type to) {
  if (to.is_dynamic() || v.type() == to) return v;
  if (to.has_optional_attributes() && v.type() == to.without_optional_attributes()) return v;
  // The conversion of most arguments, which needs no plan.
  if (to == Type::string() && v.kind() == Kind::Number) {
    return Value::string(v.plain().as_number().to_string());
  }
  Planner planner;
  return Runner(planner).convert(v, to);
}

}  // namespace tofu::value
