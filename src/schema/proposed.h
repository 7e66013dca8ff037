// The proposed new object, computed from the configuration and the prior object: the value a
// provider starts its plan from.
//
// Arguments come from the configuration. Computed attributes that the configuration
// leaves out keep their values of before. Nested objects are matched by index or key,
// those of sets by what their configuration says.
//
// Values have no marks and conform to the schema. Unchanged parts are shared with the configuration
// and the prior object.
#pragma once

#include "schema/schema.h"
#include "value/value.h"

namespace tofu::schema {

// `prior` is wholly known, or null if the object is to be created: its computed
// attributes are null then, because only the provider knows whether they will have a
// value (see all_unknown_computed). `config` may have unknown parts.
value::Value proposed_new(const Block& schema, const value::Value& prior,
                          const value::Value& config);

// A data source or ephemeral resource that is read later, when its configuration is
// known: what the configuration leaves out is unknown.
value::Value planned_data(const Block& schema, const value::Value& config);

// A proposed object in which every computed attribute that is null is unknown: the plan
// of a provider that knows nothing in advance.
value::Value all_unknown_computed(const Block& schema, const value::Value& proposed);

}  // namespace tofu::schema
