#include "plans/object_label.h"

#include <optional>
#include <string_view>

#include "value/operations.h"

namespace tofu::plans {

namespace {

using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

// A known string that may be shown.
std::optional<std::string> shown_string(const Value& v) {
  if (v.marks().is_sensitive() || v.marks().is_ephemeral()) return std::nullopt;
  const auto inner = v.unmarked();
  if (inner.kind() != Kind::String) return std::nullopt;
  return std::string(inner.as_string());
}

bool has_string(const Value& object, std::string_view name) {
  const auto index = object.type().attribute_index(name);
  return index && object.type().attributes()[*index].type == Type::string();
}

// The attribute as a label, if it is a string that may be shown.
ObjectLabel attribute_label(const Value& object, std::string_view name) {
  auto text = shown_string(*object.plain().find(name));
  return text ? ObjectLabel{std::string(name), std::move(*text)} : ObjectLabel{};
}

ObjectLabel tag_label(const Value& object) {
  const Value* found = object.plain().find("tags");
  if (found == nullptr || found->type() != Type::map(Type::string())) return {};
  if (found->marks().is_sensitive() || found->marks().is_ephemeral()) return {};
  const auto tags = found->unmarked();
  if (tags.kind() != Kind::Map || !tags.wholly_known()) return {};
  for (const std::string_view name : {"name", "Name"}) {
    const Value* tag = tags.find(name);
    if (tag == nullptr) continue;
    auto text = shown_string(*tag);
    return text ? ObjectLabel{"tags." + std::string(name), std::move(*text)} : ObjectLabel{};
  }
  return {};
}

bool is_object(const Value& object) { return object.kind() == Kind::Object; }

}  // namespace

ObjectLabel label_of(const Value& marked) {
  const auto object = marked.unmarked();
  if (!is_object(object)) return {};
  // An attribute for an ID that has none yet still hides the name.
  if (has_string(object, "id")) return attribute_label(object, "id");
  if (has_string(object, "name")) return attribute_label(object, "name");
  return {};
}

ObjectLabel label_or_name_of(const Value& marked) {
  ObjectLabel label = label_of(marked);
  if (!label.key.empty()) return label;
  const auto object = marked.unmarked();
  if (!is_object(object)) return {};
  if (has_string(object, "name")) return attribute_label(object, "name");
  return tag_label(object);
}

ObjectLabel any_label_of(const Value& marked) {
  ObjectLabel label = label_or_name_of(marked);
  if (!label.key.empty()) return label;
  const auto object = marked.unmarked();
  if (!is_object(object)) return {};
  for (const auto& attribute : object.type().attributes()) {
    if (attribute.type != Type::string()) continue;
    label = attribute_label(object, attribute.name);
    if (!label.key.empty()) return label;
  }
  return {};
}

}  // namespace tofu::plans
