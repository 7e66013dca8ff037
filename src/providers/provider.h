// The interface to a provider: its requests and responses.
//
// A Provider is one configuration of one provider: configure() comes first and once, except before
// the validate calls, schema(), functions and upgrades. The implementation may be built in, a
// plugin process or a mock of a test.
//
// Nothing here blocks: each call returns at once and `done` is called exactly once,
// on any thread, possibly before the call returns. So a thousand instances that wait
// for slow answers cost no thread each.
//
// Values have no marks: the caller removes them and adds them again. Problems are reported in the
// provider's words, with the attribute they are about; where that stands in the configuration is
// for the asker to find.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "addrs/provider.h"
#include "diag/diagnostic.h"
#include "schema/provider.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::providers {

struct Problem {
  diag::Severity severity = diag::Severity::Error;
  std::string summary;
  std::string detail;
  value::Path attribute;  // empty: about the whole thing
};

struct Answer {
  std::vector<Problem> problems;
  bool has_errors() const;
};

template <class A>
using Done = std::function<void(A)>;

// Bytes that a provider keeps beside an object and gets back with it. Only the provider reads them.
using PrivateData = std::string;

// The identity of a resource beside its id. Null where the provider has no such notion.
using Identity = value::Value;

// The identity of an object, as stored in the state.
struct StoredIdentity {
  std::uint64_t schema_version = 0;
  std::string json;
};

// An object as the state has it, before it is brought to the current schema.
struct StoredObject {
  std::string type;
  std::uint64_t schema_version = 0;
  std::string json;  // its attributes
  // In place of those, as states of old have them: each part by its path.
  std::optional<std::map<std::string, std::string>> flat = {};
  // Only if it was written by an older schema of identities than the current one.
  std::optional<StoredIdentity> identity = {};
};

struct ConfigAnswer : Answer {
  value::Value config;  // as the provider wants it configured
};

struct UpgradeAnswer : Answer {
  value::Value object;
  Identity identity = {};  // null unless the request is about one
};

struct ReadRequest {
  std::string type;
  value::Value current;
  PrivateData private_data;
  Identity identity = {};
  value::Value provider_meta = {};
};
struct ReadAnswer : Answer {
  value::Value object;  // null: it is gone
  PrivateData private_data;
  Identity identity;
};

struct PlanRequest {
  std::string type;
  value::Value prior;     // null: it is to be created
  value::Value proposed;  // null: it is to be destroyed
  value::Value config;
  PrivateData prior_private;
  Identity prior_identity = {};
  value::Value provider_meta = {};
  PrivateData planned_private = {};  // what the plan that is applied now was answered with
};
struct PlanAnswer : Answer {
  value::Value planned;
  std::vector<value::Path> requires_replace;
  PrivateData planned_private;
  // The provider cannot keep all promises about planned values: they are not held
  // against it.
  bool legacy_types = false;
  Identity planned_identity;
};

struct ApplyRequest {
  std::string type;
  value::Value prior;
  value::Value planned;
  value::Value config;
  PrivateData planned_private;
  Identity planned_identity = {};
  value::Value provider_meta = {};
};
struct ApplyAnswer : Answer {
  // The current object, also after errors: losing it would orphan a real thing.
  value::Value object;
  PrivateData private_data;
  bool legacy_types = false;
  Identity identity;
  // The provider was called, but returned no valid response: the effect is not known.
  bool is_lost = false;
};

struct ImportRequest {
  std::string type;
  std::string id;          // empty if the identity is used
  Identity identity = {};  // null if the id is used
};
struct ImportedObject {
  std::string type;
  value::Value object;
  PrivateData private_data;
  Identity identity;
};
struct ImportAnswer : Answer {
  std::vector<ImportedObject> objects;
};

struct MoveRequest {
  addrs::Provider source_provider;
  StoredObject source;
  PrivateData source_private;
  std::string target_type;
};
struct MoveAnswer : Answer {
  value::Value object;
  PrivateData private_data;
  Identity identity;
};

struct GenerateAnswer : Answer {
  value::Value config;
};

struct DataRequest {
  std::string type;
  value::Value config;
  value::Value provider_meta = {};
  std::string address = {};  // of the instance that is read; plugins do not get it
};
struct DataAnswer : Answer {
  value::Value object;
};

struct OpenAnswer : Answer {
  value::Value result;
  PrivateData private_data;
  std::optional<std::int64_t> renew_at;  // seconds since 1970
};
struct RenewAnswer : Answer {
  PrivateData private_data;
  std::optional<std::int64_t> renew_at;
};

struct FunctionAnswer {
  value::Value result;
  std::optional<std::string> error;
  std::optional<std::size_t> argument;  // the error is about this one, from 0
};

struct FunctionsAnswer : Answer {
  std::map<std::string, syntax::Function, std::less<>> functions;  // without bodies
};

// Optional capabilities of a provider.
struct Capabilities {
  bool plans_destroy = false;  // wants to plan destroying, too
  bool moves_state = false;
  bool generates_config = false;
  // Its objects are nowhere but in the state: one that is lost with its record is not left
  // behind anywhere.
  bool objects_are_records = false;
};

class Provider {
 public:
  virtual ~Provider() = default;

  virtual const schema::ProviderSchema& schema() const = 0;
  virtual Capabilities capabilities() const = 0;

  virtual void validate_config(value::Value config, Done<ConfigAnswer> done) = 0;
  virtual void validate_resource(std::string type, value::Value config, Done<Answer> done) = 0;
  virtual void validate_data(std::string type, value::Value config, Done<Answer> done) = 0;
  virtual void validate_ephemeral(std::string type, value::Value config, Done<Answer> done) = 0;

  virtual void configure(value::Value config, Done<Answer> done) = 0;

  virtual void upgrade(StoredObject stored, Done<UpgradeAnswer> done) = 0;
  virtual void read(ReadRequest request, Done<ReadAnswer> done) = 0;
  virtual void plan(PlanRequest request, Done<PlanAnswer> done) = 0;
  virtual void apply(ApplyRequest request, Done<ApplyAnswer> done) = 0;
  virtual void import(ImportRequest request, Done<ImportAnswer> done) = 0;
  virtual void move(MoveRequest request, Done<MoveAnswer> done) = 0;
  // The configuration of an object that has none. Only with the capability.
  virtual void generate_config(std::string /*type*/, value::Value object,
                               Done<GenerateAnswer> done) {
    done({{}, std::move(object)});
  }
  virtual void read_data(DataRequest request, Done<DataAnswer> done) = 0;

  virtual void open(std::string type, value::Value config, Done<OpenAnswer> done) = 0;
  virtual void renew(std::string type, PrivateData data, Done<RenewAnswer> done) = 0;
  virtual void close(std::string type, PrivateData data, Done<Answer> done) = 0;

  // Functions that the configured provider offers; those of its schema need not be among them.
  virtual void get_functions(Done<FunctionsAnswer> done) { done({}); }
  virtual void call_function(std::string name, std::vector<value::Value> arguments,
                             Done<FunctionAnswer> done) = 0;

  // Asks calls under way to end early, with errors. They still answer.
  virtual void stop() = 0;
};

// The source of providers.
class ProviderSource {
 public:
  virtual ~ProviderSource() = default;
  // A further, unconfigured instance.
  virtual diag::Checked<std::unique_ptr<Provider>> open(const addrs::Provider& provider,
                                                        diag::Diagnostics& diags) = 0;
};

}  // namespace tofu::providers
