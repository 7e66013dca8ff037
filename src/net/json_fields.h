// Fields of untrusted JSON.
//
// Documents of servers and other programs are read field by field; a field that is missing or of
// another type counts as empty, and the caller checks for required ones.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "value/json.h"

namespace tofu::net {

// The document, if it is an object.
inline std::optional<value::Value> parse_json_object(std::string_view text) {
  auto document = value::parse_json(text);
  if (!document || document->kind() != value::Kind::Object) return std::nullopt;
  return std::move(*document);
}

inline std::string text_at(const value::Value& object, std::string_view name) {
  const value::Value* found =
      object.kind() == value::Kind::Object ? object.unmarked().find(name) : nullptr;
  const bool is_text = found != nullptr && found->kind() == value::Kind::String;
  return is_text ? std::string(found->unmarked().as_string()) : std::string();
}

// Null if there is no object of that name.
inline const value::Value* object_at(const value::Value& object, std::string_view name) {
  const value::Value* found =
      object.kind() == value::Kind::Object ? object.unmarked().find(name) : nullptr;
  return found != nullptr && found->kind() == value::Kind::Object ? found : nullptr;
}

// The elements of a list, which live as long as `object`; none if there is no list of that
// name.
inline std::span<const value::Value> list_at(const value::Value& object, std::string_view name) {
  const value::Value* found =
      object.kind() == value::Kind::Object ? object.unmarked().find(name) : nullptr;
  const bool is_list = found != nullptr && found->kind() == value::Kind::Tuple;
  return is_list ? found->unmarked().items() : std::span<const value::Value>();
}

}  // namespace tofu::net
