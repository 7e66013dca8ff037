// One rule of an object that can be checked: the n-th precondition of a
// resource, the n-th assertion of a check block.
//
// Only names; the rule itself and its result are kept by other components.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "addrs/objects.h"
#include "addrs/resource.h"

namespace tofu::addrs {

enum class CheckRuleKind : std::uint8_t {
  ResourcePrecondition,
  ResourcePostcondition,
  OutputPrecondition,
  CheckDataResource,
  CheckAssertion,
  InputValidation,
};

// "Resource precondition": how a failed rule is headed.
std::string_view describe(CheckRuleKind kind);

using Checkable = std::variant<AbsResourceInstance, AbsOutputValue, AbsCheck, AbsInputVariable>;
using ConfigCheckable =
    std::variant<ConfigResource, ConfigOutputValue, ConfigCheck, ConfigInputVariable>;

std::string to_string(const Checkable& checkable);
std::string to_string(const ConfigCheckable& checkable);
ConfigCheckable config_of(const Checkable& checkable);

struct CheckRule {
  Checkable container;
  CheckRuleKind kind;
  std::size_t index;

  std::string to_string() const;  // aws_x.y[0].precondition[1]
  auto operator<=>(const CheckRule&) const = default;
};

}  // namespace tofu::addrs
