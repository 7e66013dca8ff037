#include <array>
#include <fmt/format.h>
#include <utility>

#include "base/unicode.h"
#include "providers/plugin_ask.h"
#include "providers/plugin_provider.h"

namespace tofu::providers {

using value::Value;

void PluginProvider::plan(PlanRequest request, Done<PlanAnswer> done) {
  PlanAnswer answer{{}, request.proposed, {}, request.prior_private, false, request.prior_identity};
  // Most providers have nothing to say about destroying.
  if (request.proposed.is_null() && !capabilities().plans_destroy) {
    answer.planned_identity = {};
    return done(std::move(answer));
  }
  wire6::PlanResourceChange::Request wire;
  RequestWriter writer(plugin_);
  const PluginType* type = types_->find(TypeOf::Resource, request.type);
  if (type != nullptr) {
    writer.value(request.prior, type->object, *wire.mutable_prior_state());
    writer.value(request.proposed, type->object, *wire.mutable_proposed_new_state());
    writer.value(request.config, type->object, *wire.mutable_config());
    if (!request.prior_identity.is_null() && type->identity) {
      writer.identity(request.prior_identity, *type, *wire.mutable_prior_identity());
    }
    if (types_->provider_meta()) {
      writer.meta(request.provider_meta, *types_, *wire.mutable_provider_meta());
    }
  } else {
    writer.no_such_type(request.type);
  }
  if (writer.failed()) {
    answer.problems = writer.problems();
    return done(std::move(answer));
  }
  wire.set_type_name(request.type);
  wire.set_prior_private(std::move(request.prior_private));
  wire.set_planned_private(std::move(request.planned_private));
  wire.mutable_client_capabilities()->set_write_only_attributes_allowed(true);
  wire.mutable_client_capabilities()->set_store_planned_private(true);
  ask<wire6::PlanResourceChange::Response>(
      plugin_, PluginMethod::Plan, wire, std::move(answer), std::move(done),
      [type, alike = std::array{request.prior, request.proposed}](
          auto& response, AnswerReader& reader, PlanAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        reader.deferred(response.has_deferred());
        if (to.has_errors()) return;
        reader.object(response.planned_state(), *type, to.planned, alike);
        for (const auto& path : response.requires_replace()) {
          to.requires_replace.push_back(to_path(path));
        }
        to.planned_private = std::move(*response.mutable_planned_private());
        to.legacy_types = response.legacy_type_system();
        reader.identity(response.has_planned_identity(), response.planned_identity(), *type,
                        to.planned_identity);
      });
}

void PluginProvider::apply(ApplyRequest request, Done<ApplyAnswer> done) {
  // Without an answer nothing is known but what was there before.
  ApplyAnswer answer{{}, request.prior, request.planned_private, false, request.planned_identity};
  wire6::ApplyResourceChange::Request wire;
  RequestWriter writer(plugin_);
  const PluginType* type = types_->find(TypeOf::Resource, request.type);
  if (type != nullptr) {
    writer.value(request.prior, type->object, *wire.mutable_prior_state());
    writer.value(request.planned, type->object, *wire.mutable_planned_state());
    writer.value(request.config, type->object, *wire.mutable_config());
    if (!request.planned_identity.is_null() && type->identity) {
      writer.identity(request.planned_identity, *type, *wire.mutable_planned_identity());
    }
    if (types_->provider_meta()) {
      writer.meta(request.provider_meta, *types_, *wire.mutable_provider_meta());
    }
  } else {
    writer.no_such_type(request.type);
  }
  if (writer.failed()) {
    answer.problems = writer.problems();
    return done(std::move(answer));
  }
  wire.set_type_name(request.type);
  wire.set_planned_private(std::move(request.planned_private));
  ask<wire6::ApplyResourceChange::Response>(
      plugin_, PluginMethod::Apply, wire, std::move(answer), std::move(done),
      [type, alike = std::array{request.planned, request.prior}](
          auto& response, AnswerReader& reader, ApplyAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        to.legacy_types = response.legacy_type_system();
        to.private_data = std::move(*response.mutable_private_());
        // Some providers answer with an error and no object at all.
        if (response.has_new_state() &&
            !reader.object(response.new_state(), *type, to.object, alike)) {
          to.is_lost = true;
        }
        reader.identity(response.has_new_identity(), response.new_identity(), *type, to.identity);
      });
}

void PluginProvider::import(ImportRequest request, Done<ImportAnswer> done) {
  ImportAnswer answer;
  wire6::ImportResourceState::Request wire;
  RequestWriter writer(plugin_);
  const PluginType* type = types_->find(TypeOf::Resource, request.type);
  if (type == nullptr) {
    writer.no_such_type(request.type);
  } else if (!request.identity.is_null() && type->identity) {
    writer.identity(request.identity, *type, *wire.mutable_identity());
  }
  if (writer.failed()) {
    answer.problems = writer.problems();
    return done(std::move(answer));
  }
  wire.set_type_name(request.type);
  wire.set_id(std::move(request.id));
  wire.mutable_client_capabilities()->set_write_only_attributes_allowed(true);
  ask<wire6::ImportResourceState::Response>(
      plugin_, PluginMethod::Import, wire, std::move(answer), std::move(done),
      [types = types_](auto& response, AnswerReader& reader, ImportAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        reader.deferred(response.has_deferred());
        if (to.has_errors()) return;
        for (auto& each : *response.mutable_imported_resources()) {
          const PluginType* imported = types->find(TypeOf::Resource, each.type_name());
          if (imported == nullptr) {
            reader.wrong(fmt::format("the type {:?} does not exist", each.type_name()));
            continue;
          }
          ImportedObject made{each.type_name(), Value::null(imported->object),
                              std::move(*each.mutable_private_()), Value::null()};
          reader.object(each.state(), *imported, made.object);
          reader.identity(each.has_identity(), each.identity(), *imported, made.identity);
          to.objects.push_back(std::move(made));
        }
      });
}

void PluginProvider::generate_config(std::string type, Value object, Done<GenerateAnswer> done) {
  GenerateAnswer answer{{}, Value::null()};
  wire6::GenerateResourceConfig::Request wire;
  RequestWriter writer(plugin_);
  const PluginType* found = types_->find(TypeOf::Resource, type);
  if (found != nullptr) {
    writer.value(object, found->object, *wire.mutable_state());
  } else {
    writer.no_such_type(type);
  }
  if (writer.failed()) {
    answer.problems = writer.problems();
    return done(std::move(answer));
  }
  wire.set_type_name(std::move(type));
  ask<wire6::GenerateResourceConfig::Response>(
      plugin_, PluginMethod::GenerateConfig, wire, std::move(answer), std::move(done),
      [found, alike = std::array{object}](const auto& response, AnswerReader& reader,
                                          GenerateAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        if (!to.has_errors()) reader.value(response.config(), found->object, to.config, alike);
      });
}

void PluginProvider::move(MoveRequest request, Done<MoveAnswer> done) {
  MoveAnswer answer{{}, Value::null(), {}, Value::null()};
  RequestWriter writer(plugin_);
  const PluginType* type = types_->find(TypeOf::Resource, request.target_type);
  if (type == nullptr) {
    writer.no_such_type(request.target_type);
    answer.problems = writer.problems();
    return done(std::move(answer));
  }
  wire6::MoveResourceState::Request wire;
  wire.set_source_provider_address(request.source_provider.to_string());
  wire.set_source_type_name(request.source.type);
  wire.set_source_schema_version(static_cast<std::int64_t>(request.source.schema_version));
  if (request.source.flat) {
    write_flat(*request.source.flat, *wire.mutable_source_state());
  } else {
    wire.mutable_source_state()->set_json(std::move(request.source.json));
  }
  wire.set_target_type_name(request.target_type);
  wire.set_source_private(std::move(request.source_private));
  ask<wire6::MoveResourceState::Response>(
      plugin_, PluginMethod::Move, wire, std::move(answer), std::move(done),
      [type](auto& response, AnswerReader& reader, MoveAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        if (to.has_errors()) return;
        reader.object(response.target_state(), *type, to.object);
        to.private_data = std::move(*response.mutable_target_private());
        reader.identity(response.has_target_identity(), response.target_identity(), *type,
                        to.identity);
      });
}

void PluginProvider::get_functions(Done<FunctionsAnswer> done) {
  ask<wire6::GetFunctions::Response>(
      plugin_, PluginMethod::GetFunctions, wire6::GetFunctions::Request(), FunctionsAnswer(),
      std::move(done), [this](auto& response, AnswerReader& reader, FunctionsAnswer& to) {
        add_problems(response.diagnostics(), to.problems);
        if (to.has_errors()) return;
        const std::lock_guard lock(mutex_);
        for (const auto& entry : response.functions()) {
          if (!read_function(entry.SerializeAsString(), configured_)) {
            reader.wrong("a function cannot be read");
          }
        }
        to.functions = configured_.functions;
      });
}

// Null if there is none. It stays where it is.
const syntax::Function* PluginProvider::find_function(const std::string& name) {
  const auto listed = schema().functions.find(name);
  if (listed != schema().functions.end()) return &listed->second;
  const std::lock_guard lock(mutex_);
  const auto found = configured_.functions.find(name);
  return found == configured_.functions.end() ? nullptr : &found->second;
}

void PluginProvider::call_function(std::string name, std::vector<Value> arguments,
                                   Done<FunctionAnswer> done) {
  const syntax::Function* known = find_function(name);
  if (known == nullptr) {
    return done(
        {Value::unknown(), fmt::format("The function {:?} does not exist.", name), std::nullopt});
  }
  const syntax::Function& function = *known;
  const auto result_type = syntax::result_type(function, arguments);
  const value::Type type = result_type ? *result_type : value::Type::dynamic();
  wire6::CallFunction::Request wire;
  wire.set_name(name);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const syntax::Parameter* parameter =
        i < function.parameters.size() ? &function.parameters[i] : &*function.variadic;
    // In this protocol that is about everything inside of a value, too.
    if (!parameter->allow_unknown && !arguments[i].wholly_known()) {
      return done({Value::unknown(type), std::nullopt, std::nullopt});
    }
    const auto written = write_value(arguments[i], parameter->type, *wire.add_arguments());
    if (!written) return done({Value::unknown(type), written.error().what, i});
  }
  plugin_.call(PluginMethod::CallFunction, wire.SerializeAsString(),
               [type, done = std::move(done)](const PluginAnswer& got) {
                 FunctionAnswer answer{Value::unknown(type), std::nullopt, std::nullopt};
                 wire6::CallFunction::Response response;
                 if (got.failure) {
                   answer.error = got.failure->detail;
                 } else if (!response.ParseFromString(got.message)) {
                   answer.error = "the provider's answer cannot be read";
                 } else if (response.has_error()) {
                   answer.error = base::to_valid_utf8(response.error().text());
                   if (response.error().has_function_argument() &&
                       response.error().function_argument() >= 0) {
                     answer.argument =
                         static_cast<std::size_t>(response.error().function_argument());
                   }
                 } else {
                   auto result = read_value(response.result(), type);
                   if (result) {
                     answer.result = std::move(*result);
                   } else {
                     answer.error = value::to_string(result.error());
                   }
                 }
                 done(std::move(answer));
               });
}

}  // namespace tofu::providers
