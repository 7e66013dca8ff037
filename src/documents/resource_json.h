// The fields that every JSON document about resource instances has.
//
// Each function writes fields into an object that is open, and nothing where
// there is nothing to say.
#pragma once

#include <string_view>

#include "addrs/resource.h"
#include "base/json_writer.h"
#include "plans/plan.h"
#include "value/value.h"

namespace tofu::documents {

std::string_view mode_name(addrs::ResourceMode mode);  // managed, data, ephemeral

// A field with the key, unless there is none.
void write_key(base::JsonWriter& json, std::string_view field, const addrs::InstanceKey& key);

// A field with a value that is wholly known, without its marks, unless it is null.
void write_identity(base::JsonWriter& json, std::string_view field, const value::Value& identity);

// The resources that a plan leaves for a later run: an array with the reason for each.
void write_deferrals(base::JsonWriter& json, const std::vector<plans::Deferral>& deferrals);

}  // namespace tofu::documents
