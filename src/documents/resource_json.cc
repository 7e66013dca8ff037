#include "documents/resource_json.h"

#include "base/arena.h"
#include "base/check.h"
#include "documents/plain_json.h"
#include "views/plain_value.h"

namespace tofu::documents {

std::string_view mode_name(addrs::ResourceMode mode) {
  switch (mode) {
    case addrs::ResourceMode::Managed: return "managed";
    case addrs::ResourceMode::Data: return "data";
    case addrs::ResourceMode::Ephemeral: return "ephemeral";
  }
  base::broken_promise("a mode out of range");
}

void write_key(base::JsonWriter& json, std::string_view field, const addrs::InstanceKey& key) {
  if (key.number() != nullptr) json.field(field, *key.number());
  if (key.text() != nullptr) json.field(field, std::string_view(*key.text()));
}

void write_identity(base::JsonWriter& json, std::string_view field, const value::Value& identity) {
  base::Arena arena;
  const views::PlainValue plain = views::plain_value(arena, identity);
  if (plain.kind == views::PlainKind::Null) return;
  json.key(field);
  write_known(json, plain);
}

}  // namespace tofu::documents
