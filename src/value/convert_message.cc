#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/unicode.h"
#include "value/convert.h"

namespace tofu::value {
namespace {

std::string required(Type want) { return friendly_constraint_name(want) + " required"; }

std::string required_not(Type got, Type want) {
  return fmt::format("{} required, not {}", friendly_name(want), friendly_name(got));
}

std::string missing_attributes(const std::vector<std::string>& names) {
  if (names.size() == 1) {
    return fmt::format("attribute {} is required", base::quote_go(names.front()));
  }
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 == names.size() ? " and " : ", ";
    list += base::quote_go(names[i]);
  }
  return fmt::format("attributes {} are required", list);
}

// Missing attributes are named first and all at once; otherwise one attribute
// is, rather one that can never fit than one that fits only for some values.
std::string object_message(Type got, Type want) {
  std::vector<std::string> missing;
  const ObjectAttribute* never = nullptr;
  const ObjectAttribute* sometimes = nullptr;
  for (const ObjectAttribute& attribute : want.attributes()) {
    const auto index = got.attribute_index(attribute.name);
    if (!index) {
      if (!attribute.optional) missing.emplace_back(attribute.name);
      continue;
    }
    const Type have = got.attributes()[*index].type;
    if (never == nullptr && !can_convert(have, attribute.type, Safety::AllowUnsafe)) {
      never = &attribute;
    }
    if (sometimes == nullptr && !can_convert(have, attribute.type, Safety::SafeOnly)) {
      sometimes = &attribute;
    }
  }
  if (!missing.empty()) return missing_attributes(missing);
  const ObjectAttribute* worst = never != nullptr ? never : sometimes;
  if (worst == nullptr) return "the object has the wrong attributes";
  const Type have = got.attributes()[*got.attribute_index(worst->name)].type;
  return fmt::format("attribute {}: {}", base::quote_go(worst->name),
                     mismatch_message(have, worst->type));
}

std::string structure_message(Type got, Type want) {
  const bool is_tuple = got.kind() == TypeKind::Tuple;
  if ((want.kind() == TypeKind::Map) == is_tuple) return required(want);

  const Type element = want.element();
  if (element.is_dynamic()) {
    return want.kind() == TypeKind::List  ? "the elements of a list must all have one type"
           : want.kind() == TypeKind::Set ? "the elements of a set must all have one type"
                                          : "the elements of a map must all have one type";
  }
  if (is_tuple) {
    const auto elements = got.elements();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (can_convert(elements[i], element, Safety::AllowUnsafe)) continue;
      return fmt::format("element {}: {}", i, mismatch_message(elements[i], element));
    }
  } else {
    for (const ObjectAttribute& attribute : got.attributes()) {
      if (can_convert(attribute.type, element, Safety::AllowUnsafe)) continue;
      return fmt::format("element {}: {}", base::quote_go(attribute.name),
                         mismatch_message(attribute.type, element));
    }
  }
  return fmt::format("every element must be {}", friendly_constraint_name(element));
}

std::string collection_message(Type got, Type want) {
  const bool got_map = got.kind() == TypeKind::Map;
  if (got_map != (want.kind() == TypeKind::Map)) return required(want);
  const char* noun = got_map ? "map" : want.kind() == TypeKind::List ? "list" : "set";
  return fmt::format("the {}'s element type does not match: {}", noun,
                     mismatch_message(got.element(), want.element()));
}

// Naming both types helps unless a reader could take their likeness for the
// problem: a string is fine where a number is wanted, if it holds digits.
bool worth_naming_both(Type got, Type want) {
  if (got.is_primitive() != want.is_primitive()) return true;
  if (want == Type::string()) return true;
  if (got.is_primitive() && got != Type::string()) return true;
  return got.kind() == TypeKind::Tuple && want.kind() == TypeKind::Object;
}

}  // namespace

std::string mismatch_message(Type got, Type want) {
  // A path into such a type is unreadable.
  if (std::min(got.nesting(), want.nesting()) > kMaxTypeNesting / 5) {
    return "the types differ deep inside";
  }
  if (got.kind() == TypeKind::Object && want.kind() == TypeKind::Object) {
    return object_message(got, want);
  }
  if (got.is_structural() && want.is_collection()) return structure_message(got, want);
  if (got.is_collection() && want.is_collection()) return collection_message(got, want);
  return worth_naming_both(got, want) ? required_not(got, want) : required(want);
}

}  // namespace tofu::value
