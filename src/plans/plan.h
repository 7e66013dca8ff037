// Everything a plan decided: the changes, the drift, and information about the run that made it.
//
// Nothing here points to configuration, schemas or a provider, so that a plan can be written to a
// file and read on another machine. Views of a plan need the schemas as well.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/parse.h"
#include "addrs/resource.h"
#include "plans/addresses.h"
#include "plans/change.h"
#include "plans/checks.h"
#include "plans/execution_order.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::plans {

enum class Mode : std::uint8_t { Normal, Destroy, RefreshOnly };

// An attribute that some changed value was computed from. An empty path is the
// whole object.
struct RelevantAttribute {
  addrs::AbsResourceInstance resource;
  value::Path attribute;
};

struct VariableValue {
  std::string name;
  value::Value value;
};

// How many objects of a plan with -minimal-refresh were read, and how many were taken as the state
// has them.
struct ObjectReads {
  std::size_t read = 0;
  std::size_t not_read = 0;

  bool operator==(const ObjectReads&) const = default;
};

// Why a resource is left for a later run.
enum class DeferralReason : std::uint8_t {
  InstanceCountUnknown,
  ProviderConfigUnknown,
  DeferredPrerequisite,  // it depends on another one
};

// As documents have it: instance_count_unknown.
std::string_view name_of(DeferralReason reason);

struct Deferral {
  addrs::ConfigResource resource;
  DeferralReason reason = DeferralReason::InstanceCountUnknown;

  bool operator==(const Deferral&) const = default;
};

struct Plan {
  Addresses addresses;
  BoundRows rows;  // of the program that it was made with
  std::vector<ResourceChange> changes;
  std::vector<ResourceChange> drift;  // changes outside of tofu
  std::vector<OutputChange> outputs;
  std::vector<RelevantAttribute> relevant;
  std::vector<CheckedObject> checks;
  std::vector<VariableValue> variables;  // of the root module, defaults included

  Mode mode = Mode::Normal;
  std::vector<addrs::Target> targets;
  std::vector<addrs::Target> excludes;
  std::vector<addrs::AbsResourceInstance> replace;  // requested with -replace
  std::string timestamp;                            // plantimestamp(), RFC 3339
  bool errored = false;
  bool complete = true;              // false: targets left something out
  bool applyable = false;            // something would change, if only the state
  std::optional<ObjectReads> reads;  // of a minimal refresh
  std::vector<Deferral> deferrals;   // excluded, too, with what they belong to
  // Absent: the plan is errored, or from a file that has none, and cannot be applied as it is.
  std::optional<ExecutionOrder> order;
};

// The order in which changes are shown, as positions in `changes`: by address,
// an instance's current object before its deposed ones.
std::vector<std::uint32_t> display_order(const Addresses& addresses,
                                         const std::vector<ResourceChange>& changes);

// How many objects are treated how, as summary lines and messages count them.
struct ChangeCounts {
  std::size_t import = 0;
  std::size_t add = 0;
  std::size_t change = 0;
  std::size_t destroy = 0;
  std::size_t forget = 0;

  void count(Action action);
  bool operator==(const ChangeCounts&) const = default;
};

// Of the whole plan. Data sources that leave the state are not counted.
ChangeCounts count_changes(const Plan& plan);

}  // namespace tofu::plans
