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

void write_deferrals(base::JsonWriter& json, const std::vector<plans::Deferral>& deferrals) {
  json.begin_array();
  for (const plans::Deferral& deferral : deferrals) {
    const auto& [module, resource] = deferral.resource;
    json.begin_object();
    json.field("reason", plans::name_of(deferral.reason));
    json.key("resource_change");
    json.begin_object();
    json.field("address", deferral.resource.to_string());
    if (!module.is_root()) json.field("module_address", module.to_string());
    json.field("mode", mode_name(resource.mode));
    json.field("type", resource.type);
    json.field("name", resource.name);
    json.end_object();
    json.end_object();
  }
  json.end_array();
}

}  // namespace tofu::documents
