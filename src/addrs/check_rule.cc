#include "addrs/check_rule.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/overloaded.h"

namespace tofu::addrs {

namespace {

std::string_view block_type(CheckRuleKind kind) {
  switch (kind) {
    case CheckRuleKind::ResourcePrecondition:
    case CheckRuleKind::OutputPrecondition: return "precondition";
    case CheckRuleKind::ResourcePostcondition: return "postcondition";
    case CheckRuleKind::CheckDataResource: return "data";
    case CheckRuleKind::CheckAssertion: return "assert";
    case CheckRuleKind::InputValidation: return "validation";
  }
  base::broken_promise("check rule kind out of range");
}

}  // namespace

std::string_view describe(CheckRuleKind kind) {
  switch (kind) {
    case CheckRuleKind::ResourcePrecondition: return "Resource precondition";
    case CheckRuleKind::ResourcePostcondition: return "Resource postcondition";
    case CheckRuleKind::OutputPrecondition: return "Module output value precondition";
    case CheckRuleKind::CheckDataResource: return "Check block data source";
    case CheckRuleKind::CheckAssertion: return "Check block assertion";
    case CheckRuleKind::InputValidation: return "Variable validation";
  }
  base::broken_promise("check rule kind out of range");
}

std::string to_string(const Checkable& checkable) {
  return std::visit([](const auto& address) { return address.to_string(); }, checkable);
}

std::string to_string(const ConfigCheckable& checkable) {
  return std::visit([](const auto& address) { return address.to_string(); }, checkable);
}

ConfigCheckable config_of(const Checkable& checkable) {
  return std::visit(
      base::Overloaded{
          [](const AbsResourceInstance& it) -> ConfigCheckable { return config_of(it); },
          [](const AbsOutputValue& it) -> ConfigCheckable {
            return ConfigOutputValue{it.module.path(), it.object};
          },
          [](const AbsCheck& it) -> ConfigCheckable {
            return ConfigCheck{it.module.path(), it.object};
          },
          [](const AbsInputVariable& it) -> ConfigCheckable {
            return ConfigInputVariable{it.module.path(), it.object};
          },
      },
      checkable);
}

std::string CheckRule::to_string() const {
  return fmt::format("{}.{}[{}]", addrs::to_string(container), block_type(kind), index);
}

}  // namespace tofu::addrs
