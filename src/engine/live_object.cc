#include "engine/live_object.h"

#include <utility>

#include "schema/marks.h"
#include "value/json.h"

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
  if (!object.identity.is_null()) {
    auto identity = value::to_json(object.identity);
    if (!identity) return base::Error{value::to_string(identity.error())};
    fields.identity = std::move(*identity);
    fields.identity_schema_version = schema.identity ? schema.identity->version : 0;
  }
  return state::Object(fields, state::JsonForm::Compact);
}

}  // namespace tofu::engine
