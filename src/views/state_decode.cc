#include "views/state_decode.h"

#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "addrs/parse_checkable.h"
#include "value/json.h"
#include "value/marked_paths.h"
#include "views/change_diff.h"

namespace tofu::views {

namespace {

using value::Value;

// One resource after the other; objects go to `records`.
class Decoder {
 public:
  Decoder(const schema::ProviderSchemas& schemas, StateRecords& records, diag::Diagnostics& diags)
      : schemas_(schemas), records_(records), diags_(diags) {}

  void add_resource(const state::Resource& resource) {
    if (!begin(resource)) return;
    resource.for_each([&](const state::Instance& instance) { add_instance(resource, instance); });
  }
  // False if an error was added for it, or before for its provider.
  bool begin(const state::Resource& resource) {
    const addrs::Provider& provider = resource.provider().provider;
    schema_ = find_schema(schemas_, provider, resource.address().object);
    if (schema_ != nullptr) {
      type_ = schema_->block.implied_type();
      return true;
    }
    const bool is_available = schemas_.find(provider.to_string()) != nullptr;
    if (is_available) {
      diags_.error("Unknown resource type")
          .detail(fmt::format("{} cannot be shown: the provider {} has no such type.",
                              resource.address().to_string(), provider.to_string()));
    } else if (missing_.insert(provider).second) {
      diags_.error("Missing required provider")
          .detail(fmt::format("The state has objects of the provider {}, which is not installed. "
                              "Run \"tofu init\" to install it.",
                              provider.to_string()));
    }
    return false;
  }
  void add_instance(const state::Resource& resource, const state::Instance& instance) {
    if (const state::Object* current = instance.current()) {
      add_object(resource, instance, *current, "");
    }
    for (const auto& [key, object] : instance.deposed()) {
      add_object(resource, instance, object, key);
    }
  }

 private:
  void add_object(const state::Resource& resource, const state::Instance& instance,
                  const state::Object& object, const std::string& deposed) {
    const state::ObjectFields fields = object.fields();
    StateObject record;
    record.address = addrs::instance_of(resource.address(), instance.key());
    record.provider = resource.provider().provider;
    record.deposed = deposed;
    record.tainted = fields.status == state::ObjectStatus::Tainted;
    record.schema_version = fields.schema_version;
    auto v = decode(record, fields);
    if (!v) return;
    std::vector<value::PathMarks> sensitive;
    for (const value::Path& path : fields.sensitive_paths) {
      sensitive.push_back({path, value::Marks::sensitive()});
    }
    record.value = value::mark(*v, sensitive);
    if (!fields.identity.empty()) {
      if (const auto identity = value::parse_json(fields.identity)) record.identity = *identity;
      record.identity_version = fields.identity_schema_version;
    }
    for (const addrs::ConfigResource& each : fields.dependencies) {
      record.depends_on.push_back(each.to_string());
    }
    records_.objects.push_back(std::move(record));
  }

  std::optional<Value> decode(const StateObject& record, const state::ObjectFields& fields) {
    const auto refuse = [&](std::string why) -> std::optional<Value> {
      diags_.error("An object of the state cannot be shown")
          .detail(fmt::format("{} {}", record.address.to_string(), why))
          .about(record.address.to_string());
      return std::nullopt;
    };
    if (schema_->version != fields.schema_version) {
      return refuse(
          fmt::format("was stored by version {} of its schema, but the provider has version {}. "
                      "\"tofu apply\" brings the state up to date.",
                      fields.schema_version, schema_->version));
    }
    if (fields.attributes_flat) {
      return refuse(
          "is stored in the form of an old version. \"tofu apply\" brings the state up to date.");
    }
    const auto v = value::parse_json(fields.attributes, type_);
    if (!v) {
      return refuse(
          fmt::format("does not match its provider's schema: {}.", value::to_string(v.error())));
    }
    return *v;
  }

  const schema::ProviderSchemas& schemas_;
  StateRecords& records_;
  diag::Diagnostics& diags_;
  // Of the resource whose instances are added.
  const schema::ResourceSchema* schema_ = nullptr;
  value::Type type_ = value::Type::dynamic();
  std::set<addrs::Provider> missing_;  // reported
};

addrs::CheckableKind kind_of(state::CheckKind kind) {
  switch (kind) {
    case state::CheckKind::Resource: return addrs::CheckableKind::Resource;
    case state::CheckKind::Output: return addrs::CheckableKind::Output;
    case state::CheckKind::Check: return addrs::CheckableKind::Check;
    case state::CheckKind::Variable: return addrs::CheckableKind::Variable;
  }
  base::broken_promise("a kind of check out of range");
}

plans::CheckStatus status_of(state::CheckStatus status) {
  switch (status) {
    case state::CheckStatus::Unknown: return plans::CheckStatus::Unknown;
    case state::CheckStatus::Pass: return plans::CheckStatus::Pass;
    case state::CheckStatus::Fail: return plans::CheckStatus::Fail;
    case state::CheckStatus::Error: return plans::CheckStatus::Error;
  }
  base::broken_promise("a status of a check out of range");
}

void add_checks(const state::State& state, StateRecords& records, diag::Diagnostics& diags) {
  for (const state::CheckResult& result : state.checks) {
    const auto kind = kind_of(result.kind);
    auto address = addrs::parse_config_checkable(kind, result.address, diags);
    if (!address) continue;
    plans::CheckedObject object{std::move(*address), status_of(result.status), {}};
    for (const state::CheckedObject& each : result.objects) {
      auto instance = addrs::parse_checkable(kind, each.address, diags);
      if (!instance) continue;
      object.instances.push_back({std::move(*instance), status_of(each.status), each.failures});
    }
    records.checks.push_back(std::move(object));
  }
}

}  // namespace

diag::Checked<StateRecords> state_records(const state::State& state,
                                          const schema::ProviderSchemas& schemas,
                                          diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  StateRecords records;
  records.version = state.terraform_version;
  Decoder decoder(schemas, records, diags);
  for (const state::Resource* resource : state.resources_by_address()) {
    decoder.add_resource(*resource);
  }
  for (const auto& [name, output] : state.outputs) {
    records.outputs.push_back({name, output.value, output.sensitive, output.deprecated});
  }
  add_checks(state, records, diags);
  if (diags.error_count() != errors) return std::nullopt;
  return records;
}

std::optional<StateRecords> instance_records(const state::State& state,
                                             const addrs::AbsResourceInstance& address,
                                             const schema::ProviderSchemas& schemas,
                                             diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  StateRecords records;
  records.version = state.terraform_version;
  const state::Resource* resource = state.resource(addrs::resource_of(address));
  const state::Instance* instance =
      resource == nullptr ? nullptr : resource->find(address.object.key);
  if (instance != nullptr) {
    Decoder decoder(schemas, records, diags);
    if (decoder.begin(*resource)) decoder.add_instance(*resource, *instance);
  }
  if (diags.error_count() != errors) return std::nullopt;
  return records;
}

}  // namespace tofu::views
