// One planned change: of a resource instance's object, or of an output value.
//
// Values carry their own marks; values that are sensitive by schema are not marked here, since
// views have the schema. Before and after share equal parts. Rare fields lie outside of the record,
// so that a million changes stay small.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "addrs/instance_key.h"
#include "addrs/resource.h"
#include "plans/action.h"
#include "plans/addresses.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::plans {

// The source of an imported object: by its ID or by its identity.
struct Importing {
  std::string id;
  value::Value identity = {};  // null if there is an ID
};

struct ChangeDetails {
  std::optional<addrs::AbsResourceInstance> previous;  // only if it has another address now
  std::string deposed;                                 // key; empty for the current object
  std::vector<value::Path> replace_paths;              // what cannot be changed in place
  std::optional<Importing> importing;
  std::string generated_config;
  value::Value identity_before = {};  // null: none
  value::Value identity_after = {};
  std::uint64_t identity_version = 0;  // of the schema that identities follow
  std::string private_data = {};       // the provider's own, for the apply
};

struct ResourceChange {
  ResourceId resource;
  ProviderId provider;
  addrs::InstanceKey key;
  Action action = Action::NoOp;
  ActionReason reason = ActionReason::None;
  value::Value before = {};  // null: there is no object
  value::Value after = {};
  std::unique_ptr<const ChangeDetails> details = nullptr;  // null: nothing of the kind

  const addrs::AbsResourceInstance* previous() const {
    return details && details->previous ? &*details->previous : nullptr;
  }
  std::string_view deposed() const {
    return details ? std::string_view(details->deposed) : std::string_view();
  }
  const Importing* importing() const {
    return details && details->importing ? &*details->importing : nullptr;
  }
};

struct OutputChange {
  std::string name;  // of the root module
  Action action = Action::NoOp;
  bool sensitive = false;  // is or was
  value::Value before = {};
  value::Value after = {};
};

}  // namespace tofu::plans
