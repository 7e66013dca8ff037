#include "documents/state_json.h"

#include "base/arena.h"
#include "documents/checks_json.h"
#include "documents/module_values.h"
#include "documents/plain_json.h"
#include "documents/resource_json.h"
#include "value/json.h"
#include "views/change_diff.h"

namespace tofu::documents {

namespace {

void write_object(base::JsonWriter& json, const views::StateObject& object,
                  const schema::ResourceSchema* schema) {
  base::Arena arena;
  const addrs::Resource& resource = object.address.object.resource;
  const views::PlainValue v = schema != nullptr
                                  ? views::plain_value(arena, object.value, schema->block)
                                  : views::plain_value(arena, object.value);
  json.begin_object();
  json.field("address", object.address.to_string());
  json.field("mode", mode_name(resource.mode));
  json.field("type", resource.type);
  json.field("name", resource.name);
  write_key(json, "index", object.address.object.key);
  json.field("provider_name", object.provider.to_string());
  json.field("schema_version", object.schema_version);
  if (has_known_members(v)) {
    json.key("values");
    write_known(json, v);
  }
  json.key("sensitive_values");
  write_sensitive(json, v);
  if (!object.depends_on.empty()) {
    json.key("depends_on");
    json.begin_array();
    for (const std::string& address : object.depends_on) json.string(address);
    json.end_array();
  }
  if (object.tainted) json.field("tainted", true);
  if (!object.deposed.empty()) json.field("deposed_key", object.deposed);
  write_identity(json, "identity", object.identity);
  if (object.identity_version) json.field("identity_schema_version", *object.identity_version);
  json.end_object();
}

void write_output(base::JsonWriter& json, const views::StateOutput& output) {
  base::Arena arena;
  json.key(output.name);
  json.begin_object();
  json.field("sensitive", output.sensitive);
  if (!output.deprecated.empty()) json.field("deprecated", output.deprecated);
  json.key("value");
  write_known(json, views::plain_value(arena, output.value));
  json.key("type");
  json.raw(value::type_to_json(output.value.type()));
  json.end_object();
}

}  // namespace

void write_state_json(base::JsonWriter& json, const views::StateRecords& state,
                      const schema::ProviderSchemas& schemas, const std::function<void()>& pause) {
  json.begin_object();
  json.field("format_version", "1.0");
  if (!state.empty()) {
    if (!state.version.empty()) json.field("terraform_version", state.version);
    json.key("values");
    json.begin_object();
    if (!state.outputs.empty()) {
      json.key("outputs");
      json.begin_object();
      for (const views::StateOutput& output : state.outputs) write_output(json, output);
      json.end_object();
    }
    ModuleValues modules;
    for (std::uint32_t i = 0; i < state.objects.size(); ++i)
      modules.add(state.objects[i].address.module, i);
    json.key("root_module");
    modules.write(json, [&](std::uint32_t i) {
      const views::StateObject& object = state.objects[i];
      write_object(json, object,
                   views::find_schema(schemas, object.provider, object.address.object.resource));
      if (pause) pause();
    });
    json.end_object();
    if (!state.checks.empty()) {
      json.key("checks");
      write_checks(json, state.checks);
    }
  }
  json.end_object();
}

}  // namespace tofu::documents
