#include "providers/plugin_provider.h"

#include <array>
#include <utility>

#include "providers/dropped_attributes.h"
#include "providers/plugin_ask.h"

namespace tofu::providers {

using value::Value;

namespace {

void set_capabilities(wire6::ClientCapabilities& to) { to.set_write_only_attributes_allowed(true); }

// Diagnostics alone, whatever their number in the message.
constexpr auto kReadProblems = [](const auto& response, AnswerReader&, Answer& answer) {
  add_problems(response.diagnostics(), answer.problems);
};

// The attributes of a stored object. Attributes dropped from the schema are removed, as long as its
// version is the same: upgrading from another one is the provider's business.
void write_stored(StoredObject& stored, const PluginTypes& types, wire6::RawState& to) {
  if (stored.flat) return write_flat(*stored.flat, to);
  const PluginType* type = types.find(TypeOf::Resource, stored.type);
  if (type != nullptr && stored.schema_version == type->version) {
    if (auto reduced = without_dropped_attributes(stored.json, type->object))
      stored.json = std::move(*reduced);
  }
  to.set_json(std::move(stored.json));
}

// Goes on with the identity of an object that is upgraded.
void upgrade_identity(Plugin& plugin, const PluginType& type, StoredObject stored,
                      UpgradeAnswer answer, Done<UpgradeAnswer> done) {
  wire6::UpgradeResourceIdentity::Request request;
  request.set_type_name(std::move(stored.type));
  request.set_version(static_cast<std::int64_t>(stored.identity->schema_version));
  request.mutable_raw_identity()->set_json(std::move(stored.identity->json));
  ask<wire6::UpgradeResourceIdentity::Response>(
      plugin, PluginMethod::UpgradeIdentity, request, std::move(answer), std::move(done),
      [&type](const auto& response, AnswerReader& reader, UpgradeAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        if (to.has_errors()) return;
        reader.identity(response.has_upgraded_identity(), response.upgraded_identity(), type,
                        to.identity);
      });
}

}  // namespace

PluginProvider::PluginProvider(Plugin& plugin, std::shared_ptr<const PluginTypes> types,
                               std::string version, std::function<void(bool)> released)
    : plugin_(plugin),
      types_(std::move(types)),
      version_(std::move(version)),
      released_(std::move(released)) {}

PluginProvider::~PluginProvider() { released_(was_configured_); }

void PluginProvider::validate_config(Value config, Done<ConfigAnswer> done) {
  ConfigAnswer answer{{}, config};
  wire6::ValidateProviderConfig::Request request;
  RequestWriter writer(plugin_);
  writer.value(config, types_->provider(), *request.mutable_config());
  if (writer.failed()) {
    answer.problems = writer.problems();
    return done(std::move(answer));
  }
  // Protocol 5 returns a prepared configuration, which is obsolete: OpenTofu configures with what
  // the author wrote.
  ask<wire6::ValidateProviderConfig::Response>(
      plugin_, PluginMethod::ValidateProvider, request, std::move(answer), std::move(done),
      [](const auto& response, AnswerReader&, ConfigAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
      });
}

void PluginProvider::validate(PluginMethod method, TypeOf of, const std::string& type,
                              const Value& config, Done<Answer> done) {
  wire6::ValidateResourceConfig::Request request;
  RequestWriter writer(plugin_);
  request.set_type_name(type);
  if (const PluginType* found = types_->find(of, type)) {
    writer.value(config, found->object, *request.mutable_config());
  } else {
    writer.no_such_type(type);
  }
  if (of == TypeOf::Resource) set_capabilities(*request.mutable_client_capabilities());
  if (writer.failed()) return done({writer.problems()});
  ask<wire6::DiagnosticsIn1>(plugin_, method, request, Answer(), std::move(done), kReadProblems);
}

void PluginProvider::validate_resource(std::string type, Value config, Done<Answer> done) {
  validate(PluginMethod::ValidateResource, TypeOf::Resource, type, config, std::move(done));
}
void PluginProvider::validate_data(std::string type, Value config, Done<Answer> done) {
  validate(PluginMethod::ValidateData, TypeOf::Data, type, config, std::move(done));
}
void PluginProvider::validate_ephemeral(std::string type, Value config, Done<Answer> done) {
  validate(PluginMethod::ValidateEphemeral, TypeOf::Ephemeral, type, config, std::move(done));
}

void PluginProvider::configure(Value config, Done<Answer> done) {
  was_configured_ = true;
  wire6::ConfigureProvider::Request request;
  RequestWriter writer(plugin_);
  request.set_terraform_version(version_);
  writer.value(config, types_->provider(), *request.mutable_config());
  set_capabilities(*request.mutable_client_capabilities());
  if (writer.failed()) return done({writer.problems()});
  ask<wire6::DiagnosticsIn1>(plugin_, PluginMethod::Configure, request, Answer(), std::move(done),
                             kReadProblems);
}

void PluginProvider::upgrade(StoredObject stored, Done<UpgradeAnswer> done) {
  UpgradeAnswer answer{{}, Value::null(), Value::null()};
  wire6::UpgradeResourceState::Request request;
  RequestWriter writer(plugin_);
  const PluginType* type = types_->find(TypeOf::Resource, stored.type);
  if (type == nullptr) {
    writer.no_such_type(stored.type);
    answer.problems = writer.problems();
    return done(std::move(answer));
  }
  answer.object = Value::null(type->object);
  request.set_type_name(stored.type);
  request.set_version(static_cast<std::int64_t>(stored.schema_version));
  write_stored(stored, *types_, *request.mutable_raw_state());
  Done<UpgradeAnswer> with_object = std::move(done);
  if (stored.identity && type->identity) {
    with_object = [&plugin = plugin_, type, stored = std::move(stored),
                   done = std::move(with_object)](UpgradeAnswer upgraded) mutable {
      if (upgraded.has_errors()) return done(std::move(upgraded));
      upgrade_identity(plugin, *type, std::move(stored), std::move(upgraded), std::move(done));
    };
  }
  ask<wire6::UpgradeResourceState::Response>(
      plugin_, PluginMethod::UpgradeState, request, std::move(answer), std::move(with_object),
      [type](const auto& response, AnswerReader& reader, UpgradeAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        if (!to.has_errors()) reader.object(response.upgraded_state(), *type, to.object);
      });
}

void PluginProvider::read(ReadRequest request, Done<ReadAnswer> done) {
  wire6::ReadResource::Request wire;
  RequestWriter writer(plugin_);
  const PluginType* type = types_->find(TypeOf::Resource, request.type);
  if (type != nullptr) {
    writer.value(request.current, type->object, *wire.mutable_current_state());
    if (!request.identity.is_null() && type->identity) {
      writer.identity(request.identity, *type, *wire.mutable_current_identity());
    }
    if (types_->provider_meta()) {
      writer.meta(request.provider_meta, *types_, *wire.mutable_provider_meta());
    }
  } else {
    writer.no_such_type(request.type);
  }
  ReadAnswer answer{{}, request.current, request.private_data, request.identity};
  if (writer.failed()) {
    answer.problems = writer.problems();
    return done(std::move(answer));
  }
  wire.set_type_name(request.type);
  wire.set_private_(std::move(request.private_data));
  set_capabilities(*wire.mutable_client_capabilities());
  ask<wire6::ReadResource::Response>(
      plugin_, PluginMethod::Read, wire, std::move(answer), std::move(done),
      [type](auto& response, AnswerReader& reader, ReadAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        reader.deferred(response.has_deferred());
        if (to.has_errors()) return;
        const std::array alike{to.object};  // what was there
        reader.object(response.new_state(), *type, to.object, alike);
        to.private_data = std::move(*response.mutable_private_());
        reader.identity(response.has_new_identity(), response.new_identity(), *type, to.identity);
      });
}

void PluginProvider::read_data(DataRequest request, Done<DataAnswer> done) {
  wire6::ReadDataSource::Request wire;
  RequestWriter writer(plugin_);
  const PluginType* type = types_->find(TypeOf::Data, request.type);
  if (type != nullptr) {
    writer.value(request.config, type->object, *wire.mutable_config());
    if (types_->provider_meta()) {
      writer.meta(request.provider_meta, *types_, *wire.mutable_provider_meta());
    }
  } else {
    writer.no_such_type(request.type);
  }
  DataAnswer answer{{}, Value::null()};
  if (writer.failed()) {
    answer.problems = writer.problems();
    return done(std::move(answer));
  }
  wire.set_type_name(request.type);
  set_capabilities(*wire.mutable_client_capabilities());
  ask<wire6::ReadDataSource::Response>(
      plugin_, PluginMethod::ReadData, wire, std::move(answer), std::move(done),
      [type, alike = std::array{request.config}](const auto& response, AnswerReader& reader,
                                                 DataAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        reader.deferred(response.has_deferred());
        if (!to.has_errors()) reader.value(response.state(), type->object, to.object, alike);
      });
}

void PluginProvider::open(std::string type, Value config, Done<OpenAnswer> done) {
  wire6::OpenEphemeralResource::Request wire;
  RequestWriter writer(plugin_);
  const PluginType* found = types_->find(TypeOf::Ephemeral, type);
  if (found != nullptr) {
    writer.value(config, found->object, *wire.mutable_config());
  } else {
    writer.no_such_type(type);
  }
  OpenAnswer answer{{}, Value::null(), {}, std::nullopt};
  if (writer.failed()) {
    answer.problems = writer.problems();
    return done(std::move(answer));
  }
  wire.set_type_name(std::move(type));
  set_capabilities(*wire.mutable_client_capabilities());
  ask<wire6::OpenEphemeralResource::Response>(
      plugin_, PluginMethod::Open, wire, std::move(answer), std::move(done),
      [found](auto& response, AnswerReader& reader, OpenAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        reader.deferred(response.has_deferred());
        if (to.has_errors()) return;
        reader.value(response.result(), found->object, to.result);
        to.private_data = std::move(*response.mutable_private_());
        if (response.has_renew_at()) to.renew_at = response.renew_at().seconds();
      });
}

void PluginProvider::renew(std::string type, PrivateData data, Done<RenewAnswer> done) {
  wire6::RenewEphemeralResource::Request wire;
  wire.set_type_name(std::move(type));
  RenewAnswer answer{{}, data, std::nullopt};
  if (!data.empty()) wire.set_private_(std::move(data));
  ask<wire6::RenewEphemeralResource::Response>(
      plugin_, PluginMethod::Renew, wire, std::move(answer), std::move(done),
      [](auto& response, AnswerReader&, RenewAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        if (response.has_private_()) to.private_data = std::move(*response.mutable_private_());
        if (response.has_renew_at()) to.renew_at = response.renew_at().seconds();
      });
}

void PluginProvider::close(std::string type, PrivateData data, Done<Answer> done) {
  wire6::CloseEphemeralResource::Request wire;
  wire.set_type_name(std::move(type));
  if (!data.empty()) wire.set_private_(std::move(data));
  ask<wire6::DiagnosticsIn1>(plugin_, PluginMethod::Close, wire, Answer(), std::move(done),
                             kReadProblems);
}

void PluginProvider::stop() { plugin_.stop(); }

}  // namespace tofu::providers
