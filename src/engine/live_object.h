// An object of the state as a run works with it: its value by the schema of now, with
// what the state keeps beside it. Only the provider can read what is stored; writing it
// needs nobody.
#pragma once

#include <string>
#include <vector>

#include "addrs/resource.h"
#include "base/result.h"
#include "schema/provider.h"
#include "state/object.h"
#include "value/value.h"

namespace tofu::engine {

struct LiveObject {
  value::Value value;  // with marks; null: there is nothing any more
  std::string private_data = {};
  value::Value identity = {};  // null: none
  bool tainted = false;
  bool create_before_destroy = false;
  bool skip_destroy = false;
  std::vector<addrs::ConfigResource> dependencies = {};

  bool is_there() const { return !value.unmarked().is_null(); }
  bool operator==(const LiveObject& other) const;
};

// Everything but the value, which only the provider can read.
LiveObject without_value(const state::ObjectFields& stored);

// As the state keeps it. An error if something in it is not known yet.
base::Result<state::Object> to_state(const LiveObject& object,
                                     const schema::ResourceSchema& schema);

}  // namespace tofu::engine
