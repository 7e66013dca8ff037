// A provider for tests, with every shape that a schema can have, and the world it
// manages.
//
// A MockCloud is what exists outside: it outlives the providers that work on it, remembers
// every call, and fails where a test tells it to. mock_thing is an everyday
// resource, mock_shapes has nested attributes and blocks of every kind, mock_list is a
// data source, mock_lease an ephemeral resource.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "providers/in_process.h"
#include "value/value.h"

namespace tofu::providers {

class MockCloud {
 public:
  // What exists, by id.
  std::map<std::string, value::Value> things() const;
  void put(const std::string& id, value::Value thing);
  void remove(const std::string& id);

  // Calls so far, such as `apply mock_thing web`, in the order they came.
  std::vector<std::string> calls() const;
  // Makes this call fail whenever it comes.
  void fail(std::string call);

  // Notes the call; true if it is to fail.
  bool note(std::string call);
  std::string new_id();

 private:
  mutable std::mutex mutex_;  // instances are applied on many threads
  std::map<std::string, value::Value> things_;
  std::vector<std::string> calls_;
  std::set<std::string, std::less<>> failing_;
  std::uint64_t next_id_ = 1;
};

const schema::ProviderSchema& mock_schema();

// `cloud` outlives the provider.
std::unique_ptr<Provider> make_mock(MockCloud& cloud);

// Schemas of this provider, and of the built-in one.
const schema::ProviderSchemas& mock_schemas();

}  // namespace tofu::providers
