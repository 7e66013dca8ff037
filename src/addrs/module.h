// The position of a module in the tree: as written (a path of call names) and as expanded (the same
// with instance keys).
//
// The root is the empty path and prints as nothing. Paths order by length, then
// step by step, as OpenTofu lists modules.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "addrs/instance_key.h"

namespace tofu::addrs {

struct ModulePath {
  std::vector<std::string> names;  // outermost call first

  bool is_root() const { return names.empty(); }
  ModulePath child(std::string name) const;
  ModulePath parent() const;      // of the root: the root
  std::string to_string() const;  // module.a.module.b

  bool operator==(const ModulePath&) const = default;
  std::strong_ordering operator<=>(const ModulePath& other) const;
};

struct ModuleStep {
  std::string name;
  InstanceKey key = {};

  auto operator<=>(const ModuleStep&) const = default;
};

struct ModuleInstance {
  std::vector<ModuleStep> steps;

  bool is_root() const { return steps.empty(); }
  ModuleInstance child(std::string name, InstanceKey key = {}) const;
  ModuleInstance parent() const;  // of the root: the root
  ModulePath path() const;        // without keys
  bool is_instance_of(const ModulePath& path) const;
  std::string to_string() const;  // module.a["x"].module.b[0]

  bool operator==(const ModuleInstance&) const = default;
  std::strong_ordering operator<=>(const ModuleInstance& other) const;
};

// The instance of each module on the path that has no key.
ModuleInstance without_keys(const ModulePath& path);

// An object of a module together with the module's instance, or its path.
// Ordered by module first.
template <class Object>
struct Absolute {
  ModuleInstance module;
  Object object;

  std::string to_string() const {
    return module.is_root() ? object.to_string() : module.to_string() + "." + object.to_string();
  }
  bool operator==(const Absolute&) const = default;
  auto operator<=>(const Absolute&) const = default;
};

template <class Object>
struct InPath {
  ModulePath module;
  Object object;

  std::string to_string() const {
    return module.is_root() ? object.to_string() : module.to_string() + "." + object.to_string();
  }
  bool operator==(const InPath&) const = default;
  auto operator<=>(const InPath&) const = default;
};

}  // namespace tofu::addrs
