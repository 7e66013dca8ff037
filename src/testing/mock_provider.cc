#include "testing/mock_provider.h"

#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "eval/shape.h"
#include "schema/layout.h"
#include "testing/mock_values.h"

namespace tofu::testing {

namespace {

using addrs::ResourceMode;
using value::Value;

// The provider alone decides these, whatever a configuration that is made up says.
Value without_computed(const schema::Block& schema, const Value& config) {
  if (config.is_null() || config.is_unknown()) return config;
  std::vector<value::Attr> parts;
  for (const auto& named : config.type().attributes()) {
    const schema::Attribute* attribute = schema.attribute(named.name);
    const bool is_output = attribute != nullptr && attribute->computed && !attribute->optional;
    parts.push_back(
        {named.name, is_output ? Value::null(named.type) : *config.plain().find(named.name)});
  }
  return Value::object(std::move(parts));
}

// Unknown values of the plan become known now.
bool is_still_open(const Value& planned) { return !planned.wholly_known(); }

}  // namespace

Value MockProvider::compose(ResourceMode mode, const std::string& type, const Value& config,
                            Moment moment, std::vector<providers::Problem>& problems) const {
  const schema::ResourceSchema* found = eval::find_resource_schema(schema(), mode, type);
  TOFU_CHECK(found != nullptr, "a provider is asked about types that it has");
  const config::MockedValues* said = lookup_(mode, type);
  const auto when = said != nullptr && said->known ? said->known : otherwise_;
  const bool waits = when == config::MockedValues::Known::AfterApply;
  const Known known = waits && moment == Moment::Planning ? Known::AfterApply : Known::Now;
  const Value given = said != nullptr && said->values ? *said->values : Value::null();
  return MockValues(type, known)
      .compose(found->block,
               mode == ResourceMode::Managed ? without_computed(found->block, config) : config,
               given, problems);
}

providers::PlanAnswer MockProvider::answer_plan(const providers::PlanRequest& request) {
  providers::PlanAnswer answer;
  if (request.proposed.is_null()) {
    answer.planned = request.proposed;
    return answer;
  }
  // An existing object keeps its values.
  const Moment moment = request.prior.is_null() ? Moment::Planning : Moment::Making;
  answer.planned =
      compose(ResourceMode::Managed, request.type, request.config, moment, answer.problems);
  return answer;
}

providers::ApplyAnswer MockProvider::answer_apply(const providers::ApplyRequest& request) {
  providers::ApplyAnswer answer;
  answer.object = request.planned;
  if (!request.planned.is_null() && is_still_open(request.planned)) {
    answer.object = compose(ResourceMode::Managed, request.type, request.config, Moment::Making,
                            answer.problems);
  }
  return answer;
}

// An object with values from a test exists. Only what the provider decides is known of it: the rest
// becomes what the configuration says, as a change.
providers::ImportAnswer MockProvider::answer_import(const providers::ImportRequest& request) {
  providers::ImportAnswer answer;
  if (extent_ == Extent::Provider) {
    answer.problems.push_back(providers::problem(
        "A mocked provider has nothing to import",
        fmt::format("Describe the imported {} with override_resource.", request.type)));
    return answer;
  }
  const schema::ResourceSchema* found =
      eval::find_resource_schema(schema(), ResourceMode::Managed, request.type);
  TOFU_CHECK(found != nullptr, "a provider is asked about types that it has");
  schema::Layouts layouts;
  const schema::Layout& layout = layouts.of(found->block);
  std::vector<Value> nothing;
  for (const schema::Part& part : layout.parts()) nothing.push_back(part.absent);
  Value object = compose(ResourceMode::Managed, request.type, layout.make(std::move(nothing)),
                         Moment::Making, answer.problems);
  answer.objects.push_back({request.type, std::move(object), {}, request.identity});
  return answer;
}

providers::DataAnswer MockProvider::answer_data(const providers::DataRequest& request) {
  providers::DataAnswer answer;
  answer.object =
      compose(ResourceMode::Data, request.type, request.config, Moment::Making, answer.problems);
  return answer;
}

providers::OpenAnswer MockProvider::answer_open(const std::string& type, const Value& config) {
  providers::OpenAnswer answer;
  answer.result = compose(ResourceMode::Ephemeral, type, config, Moment::Making, answer.problems);
  return answer;
}

providers::RenewAnswer MockProvider::answer_renew(const std::string&,
                                                  const providers::PrivateData&) {
  return {};
}

providers::Answer MockProvider::answer_close(const std::string&, const providers::PrivateData&) {
  return {};
}

void MockProvider::call_function(std::string name, std::vector<Value> arguments,
                                 providers::Done<providers::FunctionAnswer> done) {
  providers::Provider* real = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!real_) real_ = open_real_();
    real = real_.get();
  }
  if (real == nullptr) {
    return InProcessProvider::call_function(std::move(name), std::move(arguments), std::move(done));
  }
  real->call_function(std::move(name), std::move(arguments), std::move(done));
}

}  // namespace tofu::testing
