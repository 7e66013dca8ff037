#include "documents/schema_json.h"

#include <string_view>
#include <vector>

#include "value/json.h"

namespace tofu::documents {

namespace {

using base::JsonWriter;

// Fields that Go omits if they are empty.
void optional_text(JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) json.field(name, text);
}
void optional_flag(JsonWriter& json, std::string_view name, bool is_set) {
  if (is_set) json.field(name, true);
}
void optional_number(JsonWriter& json, std::string_view name, std::uint64_t number) {
  if (number != 0) json.field(name, number);
}

std::string_view nesting_name(schema::Nesting nesting) {
  switch (nesting) {
    case schema::Nesting::Single: return "single";
    case schema::Nesting::Group: return "group";
    case schema::Nesting::List: return "list";
    case schema::Nesting::Set: return "set";
    case schema::Nesting::Map: return "map";
  }
  return "invalid";
}

std::string_view kind_of(bool markdown) { return markdown ? "markdown" : "plain"; }

void write_attributes(JsonWriter& json, const std::vector<schema::Attribute>& attributes);

void write_attribute(JsonWriter& json, const schema::Attribute& attribute) {
  json.begin_object();
  if (attribute.nested) {
    json.key("nested_type");
    json.begin_object();
    write_attributes(json, attribute.nested->attributes);
    json.field("nesting_mode", nesting_name(attribute.nested->nesting));
    json.end_object();
  } else {
    json.key("type");
    json.raw(value::type_to_json(attribute.type));
  }
  optional_text(json, "description", attribute.description);
  json.field("description_kind", kind_of(attribute.markdown));
  optional_flag(json, "deprecated", attribute.deprecated);
  optional_text(json, "deprecation_message", attribute.deprecation_message);
  optional_flag(json, "required", attribute.required);
  optional_flag(json, "optional", attribute.optional);
  optional_flag(json, "computed", attribute.computed);
  optional_flag(json, "sensitive", attribute.sensitive);
  optional_flag(json, "write_only", attribute.write_only);
  json.end_object();
}

void write_attributes(JsonWriter& json, const std::vector<schema::Attribute>& attributes) {
  if (attributes.empty()) return;
  json.key("attributes");
  json.begin_object();
  for (const schema::Attribute& each : attributes) {
    json.key(each.name);
    write_attribute(json, each);
  }
  json.end_object();
}

void write_block(JsonWriter& json, const schema::Block& block) {
  json.begin_object();
  write_attributes(json, block.attributes);
  if (!block.blocks.empty()) {
    json.key("block_types");
    json.begin_object();
    for (const schema::NestedBlock& each : block.blocks) {
      json.key(each.name);
      json.begin_object();
      json.field("nesting_mode", nesting_name(each.nesting));
      json.key("block");
      write_block(json, *each.block);
      optional_number(json, "min_items", each.min_items);
      optional_number(json, "max_items", each.max_items);
      json.end_object();
    }
    json.end_object();
  }
  optional_text(json, "description", block.description);
  json.field("description_kind", kind_of(block.markdown));
  optional_flag(json, "deprecated", block.deprecated);
  optional_text(json, "deprecation_message", block.deprecation_message);
  json.end_object();
}

void write_schema(JsonWriter& json, const schema::Block& block, std::uint64_t version) {
  json.begin_object();
  json.field("version", version);
  json.key("block");
  write_block(json, block);
  json.end_object();
}

// The built-in provider cannot be configured, so it has no block.
void write_provider(JsonWriter& json, const schema::ProviderSchema& schema) {
  if (&schema != &schema::builtin_terraform()) return write_schema(json, schema.provider, 0);
  json.begin_object();
  json.field("version", 0);
  json.end_object();
}

void write_types(JsonWriter& json, std::string_view name, const schema::TypeSchemas& types) {
  if (types.size() == 0) return;
  json.key(name);
  json.begin_object();
  for (const auto& [type, schema] : types) {
    json.key(type);
    write_schema(json, schema.block, schema.version);
  }
  json.end_object();
}

void write_parameter(JsonWriter& json, const syntax::Parameter& parameter) {
  json.begin_object();
  json.field("name", parameter.name);
  json.field("description", parameter.description);
  json.key("type");
  json.raw(value::type_to_json(parameter.type));
  optional_flag(json, "is_nullable", parameter.allow_null);
  json.end_object();
}

void write_functions(JsonWriter& json, const schema::ProviderSchema& schema) {
  if (schema.functions.empty()) return;
  json.key("functions");
  json.begin_object();
  for (const auto& [name, function] : schema.functions) {
    json.key(name);
    json.begin_object();
    const auto details = schema.function_details.find(name);
    json.field("description",
               details == schema.function_details.end() ? std::string_view() : details->second);
    json.field("summary", function.description);
    json.key("return_type");
    const auto type = function.result_type({});
    json.raw(value::type_to_json(type ? *type : value::Type::dynamic()));
    if (!function.parameters.empty()) {
      json.key("parameters");
      json.begin_array();
      for (const syntax::Parameter& each : function.parameters) write_parameter(json, each);
      json.end_array();
    }
    if (function.variadic) {
      json.key("variadic_parameter");
      write_parameter(json, *function.variadic);
    }
    json.end_object();
  }
  json.end_object();
}

void write_identities(JsonWriter& json, const schema::TypeSchemas& types) {
  bool has_any = false;
  for (const auto& [type, schema] : types) {
    if (!schema.identity) continue;
    if (!has_any) {
      json.key("resource_identity_schemas");
      json.begin_object();
      has_any = true;
    }
    json.key(type);
    json.begin_object();
    json.field("version", schema.identity->version);
    json.key("attributes");
    json.begin_object();
    for (const schema::IdentityAttribute& each : schema.identity->attributes) {
      json.key(each.name);
      json.begin_object();
      json.key("type");
      json.raw(value::type_to_json(each.type));
      optional_text(json, "description", each.description);
      optional_flag(json, "required_for_import", each.required_for_import);
      optional_flag(json, "optional_for_import", each.optional_for_import);
      json.end_object();
    }
    json.end_object();
    json.end_object();
  }
  if (has_any) json.end_object();
}

}  // namespace

void write_schemas_json(JsonWriter& json,
                        const std::map<std::string, const schema::ProviderSchema*>& schemas) {
  json.begin_object();
  json.field("format_version", "1.0");
  if (!schemas.empty()) {
    json.key("provider_schemas");
    json.begin_object();
    for (const auto& [provider, schema] : schemas) {
      json.key(provider);
      json.begin_object();
      json.key("provider");
      write_provider(json, *schema);
      write_types(json, "resource_schemas", schema->resources);
      write_types(json, "data_source_schemas", schema->data_sources);
      write_types(json, "ephemeral_resource_schemas", schema->ephemeral_resources);
      write_functions(json, *schema);
      write_identities(json, schema->resources);
      json.end_object();
    }
    json.end_object();
  }
  json.end_object();
}

}  // namespace tofu::documents
