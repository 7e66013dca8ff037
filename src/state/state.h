// A state: all objects, the outputs and the last check results.
//
// Input: finished objects, as text. No schemas, no configuration and no file names; where a state
// is stored is the business of `backends`.
//
// Copying a State is taking a snapshot: two pointers are copied, independent of its size. The first
// change after it copies the list of resources (a pointer each) and, of each resource that changes,
// the list of its instances (96 bytes each), never the objects. So taking a snapshot every few
// seconds costs far less than writing it.
//
// Threads: a State belongs to one thread; its copies may be read on others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "state/object.h"
#include "state/resource.h"
#include "value/value.h"

namespace tofu::state {

struct Output {
  value::Value value;  // known, without marks
  bool sensitive = false;
  std::string deprecated = {};  // the message; empty if it is not

  bool operator==(const Output& other) const {
    return value::raw_equal(value, other.value) && sensitive == other.sensitive &&
           deprecated == other.deprecated;
  }
};

enum class CheckStatus : std::uint8_t { Unknown, Pass, Fail, Error };
enum class CheckKind : std::uint8_t { Resource, Output, Check, Variable };

struct CheckedObject {
  std::string address;  // with instance keys
  CheckStatus status = CheckStatus::Unknown;
  std::vector<std::string> failures = {};

  bool operator==(const CheckedObject&) const = default;
};

// The results of one object's checks in the last run.
struct CheckResult {
  CheckKind kind = CheckKind::Resource;
  std::string address;  // in the configuration, without keys
  CheckStatus status = CheckStatus::Unknown;
  std::vector<CheckedObject> objects = {};

  bool operator==(const CheckResult&) const = default;
};

class State {
 public:
  std::string lineage;
  std::uint64_t serial = 0;
  std::string terraform_version;  // of the program that wrote it
  std::map<std::string, Output> outputs;
  std::vector<CheckResult> checks;
  // Members of outputs that this version does not know; see UnknownMembers. Those of an output
  // that is gone are not written.
  std::map<std::string, std::string> unknown_of_outputs;

  std::size_t resource_count() const { return table_ ? table_->rows.size() : 0; }
  bool has_no_resources() const { return resource_count() == 0; }
  // As OpenTofu has it: neither resources nor outputs.
  bool is_empty() const { return has_no_resources() && outputs.empty(); }

  // Null if there is none. Valid until the next change.
  const Resource* resource(const addrs::AbsResource& address) const;
  const Instance* instance(const addrs::AbsResourceInstance& address) const;
  // An empty `deposed_key` means the current object.
  const Object* object(const addrs::AbsResourceInstance& address,
                       const std::string& deposed_key = {}) const;

  // Every resource, in the order in which state files list them: by the text of the
  // module's address, then data before managed, then type and name.
  std::vector<const Resource*> resources() const;
  // The same as people are shown them: root first, numbers by their size.
  std::vector<const Resource*> resources_by_address() const;

  // The one way for results of a run: the current data of an object. An empty object means that it
  // is gone; a resource without instances goes with its last.
  void set_object(const addrs::AbsResourceInstance& address, const std::string& deposed_key,
                  Object object, const addrs::AbsProviderInstance& provider);
  void remove_object(const addrs::AbsResourceInstance& address, const std::string& deposed_key);
  // A resource as it stands, possibly without instances. One of the same address is
  // replaced.
  void put_resource(Resource resource);
  void remove_resource(const addrs::AbsResource& address);
  void remove_instance(const addrs::AbsResourceInstance& address);
  // For changes to a resource that is there; null if it is not.
  Resource* change(const addrs::AbsResource& address);

  // Equal configurations share one object. For making resources in bulk.
  std::shared_ptr<const addrs::AbsProviderConfig> share(const addrs::AbsProviderConfig& provider);

 private:
  struct Table {
    std::vector<std::shared_ptr<Resource>> rows;
    RowIndex index;
  };

  Table& writable_table();
  std::optional<std::uint32_t> row_of(const addrs::AbsResource& address) const;
  Resource& writable_resource(Table& table, std::uint32_t row);
  Resource& resource_for(const addrs::AbsResource& address,
                         const addrs::AbsProviderConfig& provider);
  void drop_if_empty(const addrs::AbsResource& address);

  std::shared_ptr<Table> table_;
  std::shared_ptr<const addrs::AbsProviderConfig> last_provider_;  // most are like the one before
};

// The serial of a state that follows one with `serial`. Nothing follows the largest: it must
// not become 0.
std::optional<std::uint64_t> next_serial(std::uint64_t serial);

// Whether both have the same content, ignoring lineage, serial, version and the order of check
// results. If not, the serial is raised.
bool same_content(const State& a, const State& b);
// Whether both have the same managed resources, ignoring everything else.
bool same_managed_resources(const State& a, const State& b);

}  // namespace tofu::state
