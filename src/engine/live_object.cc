#include "engine/live_object.h"

#include <utility>

#include "eval/shape.h"
#include "schema/marks.h"
#include "value/json.h"
#include "value/marks.h"

namespace tofu::engine {

using value::Value;

bool LiveObject::operator==(const LiveObject& other) const {
  return private_data == other.private_data && tainted == other.tainted &&
         create_before_destroy == other.create_before_destroy &&
         skip_destroy == other.skip_destroy && dependencies == other.dependencies &&
         raw_equal(identity, other.identity) && raw_equal(value, other.value);
}

LiveObject without_value(const state::ObjectFields& stored) {
  LiveObject made;
  made.private_data = stored.private_data;
  made.tainted = stored.status == state::ObjectStatus::Tainted;
  made.create_before_destroy = stored.create_before_destroy;
  made.skip_destroy = stored.skip_destroy;
  made.dependencies = stored.dependencies;
  made.unknown = stored.unknown;
  return made;
}

base::Result<state::Object> to_state(const LiveObject& object,
                                     const schema::ResourceSchema& schema) {
  state::ObjectFields fields;
  fields.status = object.tainted ? state::ObjectStatus::Tainted : state::ObjectStatus::Ready;
  fields.schema_version = schema.version;
  const schema::Unmarked plain = schema::unmark(object.value);
  auto json = value::to_json(plain.value, schema.block.implied_type());
  if (!json) return base::Error{value::to_string(json.error())};
  fields.attributes = std::move(*json);
  for (const schema::PathMarks& one : plain.marks) {
    if (one.marks.is_sensitive()) fields.sensitive_paths.push_back(one.path);
  }
  fields.private_data = object.private_data;
  fields.dependencies = object.dependencies;
  fields.create_before_destroy = object.create_before_destroy;
  fields.skip_destroy = object.skip_destroy;
  fields.unknown = object.unknown;
  if (!object.identity.is_null()) {
    auto identity = value::to_json(object.identity);
    if (!identity) return base::Error{value::to_string(identity.error())};
    fields.identity = std::move(*identity);
    fields.identity_schema_version = schema.identity ? schema.identity->version : 0;
  }
  return state::Object(fields, state::JsonForm::Compact);
}

BlockInfo::BlockInfo(const schema::Block& block)
    : marks(block), write_only(schema::write_only_attributes(block)) {}

ObjectSchemas::ObjectSchemas(const eval::Program& program) : program_(program) {
  const schema::ResourceSchema* last = nullptr;
  for (const auto& shape : program.shapes) {
    for (const eval::Row& row : shape->rows()) {
      if (row.schema == nullptr || row.schema == last) continue;
      last = row.schema;
      declared_.try_emplace(&last->block, last->block);
    }
  }
}

const schema::ResourceSchema* ObjectSchemas::find(const addrs::Provider& provider,
                                                  const addrs::Resource& resource) const {
  const schema::ProviderSchema* found = program_.schemas->find(provider.to_string());
  if (found == nullptr) return nullptr;
  return eval::find_resource_schema(*found, resource.mode, resource.type);
}

const BlockInfo& ObjectSchemas::info(const schema::Block& block) {
  const auto declared = declared_.find(&block);
  if (declared != declared_.end()) return declared->second;
  const std::lock_guard lock(mutex_);
  return others_.try_emplace(&block, block).first->second;
}

Value ObjectSchemas::stored_value(const state::Object& object,
                                  const schema::ResourceSchema& schema) {
  const state::ObjectFields fields = object.fields();
  const auto read = value::parse_json(fields.attributes, schema.block.implied_type());
  if (!read) return Value::unknown(schema.block.implied_type());
  std::vector<schema::PathMarks> stored;
  for (const value::Path& path : fields.sensitive_paths) {
    stored.push_back({path, value::Marks::sensitive()});
  }
  return marks(schema.block).apply(schema::mark(*read, stored));
}

plans::ObjectLabel ObjectSchemas::label(const schema::Block& block, const Value& v) {
  return plans::label_of(marks(block).apply(v));
}

plans::ObjectLabel ObjectSchemas::label_or_name(const schema::Block& block, const Value& v) {
  return plans::label_or_name_of(marks(block).apply(v));
}

value::Type type_of(const schema::ResourceSchema* schema) {
  return schema == nullptr ? value::Type::dynamic() : schema->block.implied_type();
}

}  // namespace tofu::engine
