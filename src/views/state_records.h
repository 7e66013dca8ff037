// A state as views take it: objects with their values, outputs, checks.
//
// It is made from the state and the schemas, since the objects of a state are text until a schema
// gives their types; a view only reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "addrs/resource.h"
#include "plans/checks.h"
#include "value/value.h"

namespace tofu::views {

struct StateObject {
  addrs::AbsResourceInstance address;
  addrs::Provider provider;
  std::string deposed = {};  // key; empty for the current object
  bool tainted = false;
  std::uint64_t schema_version = 0;
  value::Value value = {};
  value::Value identity = {};  // null: none
  std::optional<std::uint64_t> identity_version = std::nullopt;
  std::vector<std::string> depends_on = {};
};

struct StateOutput {
  std::string name;
  value::Value value = {};
  bool sensitive = false;
  std::string deprecated = {};  // the author's message; empty if it is not
};

struct StateRecords {
  std::string version;               // of the program that wrote it
  std::vector<StateObject> objects;  // in the order of display
  std::vector<StateOutput> outputs;  // by name
  std::vector<plans::CheckedObject> checks;

  bool empty() const { return objects.empty() && outputs.empty(); }
};

}  // namespace tofu::views
