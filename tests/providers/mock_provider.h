// A provider for tests, with every shape that a schema can have, and the world it
// manages.
//
// A MockCloud is what exists outside: it outlives the providers that work on it, records every
// call, and fails on demand; a MockScript makes it say what no good provider says. mock_thing is an
// everyday resource, mock_item one that things can become, mock_person has an identity, mock_shapes
// has nested attributes and blocks of every kind, mock_list is a data source, mock_lease an
// ephemeral resource.
#pragma once

#include <cstdint>
#include <functional>
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

// Has the last word on answers: each is called, if it is set, with the request and the answer
// that the provider would have given. On many threads at once.
struct MockScript {
  template <class Request, class A>
  using Edit = std::function<void(const Request& request, A& answer)>;

  Edit<value::Value, Answer> configure;
  Edit<value::Value, Answer> validate;
  Edit<StoredObject, UpgradeAnswer> upgrade;
  Edit<ReadRequest, ReadAnswer> read;
  Edit<PlanRequest, PlanAnswer> plan;
  Edit<ApplyRequest, ApplyAnswer> apply;
  Edit<ImportRequest, ImportAnswer> import;
  Edit<MoveRequest, MoveAnswer> move;
  Edit<DataRequest, DataAnswer> data;
  Edit<value::Value, OpenAnswer> open;
  Edit<PrivateData, RenewAnswer> renew;
  Edit<PrivateData, Answer> close;
};

class MockCloud {
 public:
  MockScript script;  // set before anybody works on it

  // What exists, by id.
  std::map<std::string, value::Value> things() const;
  void put(const std::string& id, value::Value thing);
  void remove(const std::string& id);
  // Removes all objects and recorded calls, and restarts the ids.
  void clear();

  // Calls so far, such as `apply mock_thing web`, in the order they came.
  std::vector<std::string> calls() const;
  // Makes this call fail whenever it comes.
  void fail(std::string call);
  void stop_failing();

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

// The object with another value for one of its attributes, and the text of one; empty if that
// is no known text.
value::Value with_attribute(const value::Value& object, std::string_view name, value::Value item);
std::string text_of(const value::Value& object, std::string_view name);

// `cloud` outlives the provider.
std::unique_ptr<Provider> make_mock(MockCloud& cloud);

// Schemas of this provider, and of the built-in one.
const schema::ProviderSchemas& mock_schemas();

}  // namespace tofu::providers
