#include "providers/in_process.h"

#include <fmt/format.h>
#include <utility>

#include "providers/dropped_attributes.h"
#include "syntax/function.h"
#include "value/json.h"

namespace tofu::providers {

using value::Value;

namespace {

Problem not_supported(std::string_view what, std::string_view type) {
  return problem(fmt::format("Not supported by {}", type),
                 fmt::format("The provider does not support {} of type {:?}.", what, type));
}

}  // namespace

Problem problem(std::string summary, std::string detail) {
  return {diag::Severity::Error, std::move(summary), std::move(detail), {}};
}

void InProcessProvider::validate_config(Value config, Done<ConfigAnswer> done) {
  done(answer_validate_config(config));
}
void InProcessProvider::validate_resource(std::string type, Value config, Done<Answer> done) {
  done(answer_validate_resource(type, config));
}
void InProcessProvider::validate_data(std::string type, Value config, Done<Answer> done) {
  done(answer_validate_data(type, config));
}
void InProcessProvider::validate_ephemeral(std::string type, Value config, Done<Answer> done) {
  done(answer_validate_ephemeral(type, config));
}
void InProcessProvider::configure(Value config, Done<Answer> done) {
  done(answer_configure(config));
}
void InProcessProvider::upgrade(StoredObject stored, Done<UpgradeAnswer> done) {
  done(answer_upgrade(stored));
}
void InProcessProvider::read(ReadRequest request, Done<ReadAnswer> done) {
  done(answer_read(request));
}
void InProcessProvider::plan(PlanRequest request, Done<PlanAnswer> done) {
  done(answer_plan(request));
}
void InProcessProvider::apply(ApplyRequest request, Done<ApplyAnswer> done) {
  done(answer_apply(request));
}
void InProcessProvider::import(ImportRequest request, Done<ImportAnswer> done) {
  done(answer_import(request));
}
void InProcessProvider::move(MoveRequest request, Done<MoveAnswer> done) {
  done(answer_move(request));
}
void InProcessProvider::read_data(DataRequest request, Done<DataAnswer> done) {
  done(answer_data(request));
}
void InProcessProvider::open(std::string type, Value config, Done<OpenAnswer> done) {
  done(answer_open(type, config));
}
void InProcessProvider::renew(std::string type, PrivateData data, Done<RenewAnswer> done) {
  done(answer_renew(type, data));
}
void InProcessProvider::close(std::string type, PrivateData data, Done<Answer> done) {
  done(answer_close(type, data));
}

void InProcessProvider::call_function(std::string name, std::vector<Value> arguments,
                                      Done<FunctionAnswer> done) {
  const auto found = schema_.functions.find(name);
  if (found == schema_.functions.end()) {
    done({Value::unknown(), fmt::format("The function {:?} does not exist.", name), std::nullopt});
    return;
  }
  auto result = syntax::call(found->second, arguments);
  if (result) {
    done({std::move(*result), std::nullopt, std::nullopt});
    return;
  }
  done({Value::unknown(), result.error().what, result.error().argument});
}

ConfigAnswer InProcessProvider::answer_validate_config(const Value& config) { return {{}, config}; }
Answer InProcessProvider::answer_validate_resource(const std::string&, const Value&) { return {}; }
Answer InProcessProvider::answer_validate_data(const std::string&, const Value&) { return {}; }
Answer InProcessProvider::answer_validate_ephemeral(const std::string&, const Value&) { return {}; }
Answer InProcessProvider::answer_configure(const Value&) { return {}; }

UpgradeAnswer InProcessProvider::answer_upgrade(const StoredObject& stored) {
  const auto found = schema_.resources.find(stored.type);
  if (found == schema_.resources.end()) {
    return {{{not_supported("resources", stored.type)}}, Value::null()};
  }
  const value::Type type = found->second.block.implied_type();
  auto object = value::parse_json(stored.json, type);
  if (!object) {
    if (const auto reduced = without_dropped_attributes(stored.json, type)) {
      object = value::parse_json(*reduced, type);
    }
  }
  if (object) return {{}, std::move(*object)};
  Problem wrong =
      problem("Stored object does not match its schema", value::to_string(object.error()));
  wrong.attribute = object.error().path;
  return {{{std::move(wrong)}}, Value::null()};
}

ReadAnswer InProcessProvider::answer_read(const ReadRequest& request) {
  return {{}, request.current, request.private_data, request.identity};
}
PlanAnswer InProcessProvider::answer_plan(const PlanRequest& request) {
  return {{}, request.proposed, {}, request.prior_private, false, request.prior_identity};
}
ApplyAnswer InProcessProvider::answer_apply(const ApplyRequest& request) {
  return {{}, request.planned, request.planned_private, false, request.planned_identity};
}
ImportAnswer InProcessProvider::answer_import(const ImportRequest& request) {
  return {{{not_supported("importing resources", request.type)}}, {}};
}
MoveAnswer InProcessProvider::answer_move(const MoveRequest& request) {
  return {{{not_supported("moving objects to resources", request.target_type)}},
          Value::null(),
          {},
          Value::null()};
}
DataAnswer InProcessProvider::answer_data(const DataRequest& request) {
  return {{{not_supported("data sources", request.type)}}, Value::null()};
}
OpenAnswer InProcessProvider::answer_open(const std::string& type, const Value&) {
  return {{{not_supported("ephemeral resources", type)}}, Value::null(), {}, std::nullopt};
}
RenewAnswer InProcessProvider::answer_renew(const std::string&, const PrivateData& data) {
  return {{}, data, std::nullopt};
}
Answer InProcessProvider::answer_close(const std::string&, const PrivateData&) { return {}; }

}  // namespace tofu::providers
