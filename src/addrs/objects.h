// The other named things of a module: what `var.`, `local.`, `module.` and the
// like refer to.
//
// Each prints as an author writes it. Absolute<…> adds the module.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "addrs/instance_key.h"
#include "addrs/module.h"
#include "features/features.h"

namespace tofu::addrs {

struct InputVariable {
  std::string name;
  std::string to_string() const { return "var." + name; }
  auto operator<=>(const InputVariable&) const = default;
};

struct LocalValue {
  std::string name;
  std::string to_string() const { return "local." + name; }
  auto operator<=>(const LocalValue&) const = default;
};

struct OutputValue {
  std::string name;
  std::string to_string() const { return "output." + name; }
  auto operator<=>(const OutputValue&) const = default;
};

struct Check {
  std::string name;
  std::string to_string() const { return "check." + name; }
  auto operator<=>(const Check&) const = default;
};

// A run of a test file, as later runs refer to it.
struct Run {
  std::string name;
  std::string to_string() const { return "run." + name; }
  auto operator<=>(const Run&) const = default;
};

// A call as a whole: all its instances.
struct ModuleCall {
  std::string name;
  std::string to_string() const { return "module." + name; }
  auto operator<=>(const ModuleCall&) const = default;
};

struct ModuleCallInstance {
  ModuleCall call;
  InstanceKey key = {};
  std::string to_string() const { return call.to_string() + key.to_string(); }
  auto operator<=>(const ModuleCallInstance&) const = default;
};

// One output of one instance of a call, as the calling module sees it.
struct ModuleCallOutput {
  ModuleCallInstance call;
  std::string name;
  std::string to_string() const { return call.to_string() + "." + name; }
  auto operator<=>(const ModuleCallOutput&) const = default;
};

struct CountAttr {
  std::string name;
  std::string to_string() const { return "count." + name; }
  auto operator<=>(const CountAttr&) const = default;
};

struct EachAttr {
  std::string name;
  std::string to_string() const { return "each." + name; }
  auto operator<=>(const EachAttr&) const = default;
};

struct PathAttr {
  std::string name;
  std::string to_string() const { return "path." + name; }
  auto operator<=>(const PathAttr&) const = default;
};

// `terraform.x`, or `tofu.x`, which means the same and is shown as written.
struct TerraformAttr {
  enum class Root : std::uint8_t { Terraform, Tofu };
  std::string name;
  Root root = Root::Terraform;
  std::string to_string() const {
    return (root == Root::Terraform ? "terraform." : "tofu.") + name;
  }
  auto operator<=>(const TerraformAttr&) const = default;
};

struct Self {
  std::string to_string() const { return "self"; }
  auto operator<=>(const Self&) const = default;
};

// A block of a selectable feature, such as symbols "lib".
struct FeatureBlock {
  features::Feature feature;
  std::string name;
  std::string to_string() const {
    return std::string(features::row_of(feature).block_type) + "." + name;
  }
  auto operator<=>(const FeatureBlock&) const = default;
};

using AbsInputVariable = Absolute<InputVariable>;
using AbsLocalValue = Absolute<LocalValue>;
using AbsOutputValue = Absolute<OutputValue>;
using AbsCheck = Absolute<Check>;
using AbsModuleCall = Absolute<ModuleCall>;
using ConfigInputVariable = InPath<InputVariable>;
using ConfigOutputValue = InPath<OutputValue>;
using ConfigCheck = InPath<Check>;

}  // namespace tofu::addrs
