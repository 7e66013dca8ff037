// Plans of terraform_data for tests of views.
//
// The built-in provider's schema is always there, so no test needs its own; the
// objects differ in nothing but their input.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "plans/plan.h"
#include "schema/provider.h"
#include "tests/views/diff_fixture.h"

namespace tofu::views {

inline Value data_object(const Value& id, const Value& input, const Value& output) {
  return Value::object(
      {{"id", id}, {"input", input}, {"output", output}, {"triggers_replace", Value::null()}});
}
inline Value data_object(std::int64_t input) {
  return data_object(str("x"), num(input), num(input));
}
inline Value new_data_object(std::int64_t input) {
  return data_object(Value::unknown(Type::string()), num(input), Value::unknown());
}
inline Value no_object() {
  return Value::null(
      schema::builtin_terraform().resources.at("terraform_data").block.implied_type());
}

inline plans::ResourceChange data_change(plans::Plan& plan, std::string name, plans::Action action,
                                         Value before, Value after,
                                         plans::ChangeDetails details = {},
                                         addrs::InstanceKey key = {}) {
  plans::ResourceChange change;
  change.resource =
      plan.addresses.resource({}, {addrs::ResourceMode::Managed, "terraform_data", std::move(name)},
                              addrs::builtin_provider("terraform"));
  change.key = std::move(key);
  change.action = action;
  change.before = std::move(before);
  change.after = std::move(after);
  change.details = std::make_unique<plans::ChangeDetails>(std::move(details));
  return change;
}

inline addrs::AbsResourceInstance data_address(std::string name, addrs::InstanceKey key = {}) {
  return {{}, {{addrs::ResourceMode::Managed, "terraform_data", std::move(name)}, std::move(key)}};
}

}  // namespace tofu::views
