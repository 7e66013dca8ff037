#include "addrs/module.h"

#include <algorithm>
#include <utility>

namespace tofu::addrs {

namespace {

template <class Steps>
std::strong_ordering by_length_then_steps(const Steps& a, const Steps& b) {
  if (const auto by_length = a.size() <=> b.size(); by_length != 0) return by_length;
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

ModulePath ModulePath::child(std::string name) const {
  ModulePath longer = *this;
  longer.names.push_back(std::move(name));
  return longer;
}

ModulePath ModulePath::parent() const {
  ModulePath shorter = *this;
  if (!shorter.names.empty()) shorter.names.pop_back();
  return shorter;
}

std::string ModulePath::to_string() const { return without_keys(*this).to_string(); }

std::strong_ordering ModulePath::operator<=>(const ModulePath& other) const {
  return by_length_then_steps(names, other.names);
}

ModuleInstance ModuleInstance::child(std::string name, InstanceKey key) const {
  ModuleInstance longer = *this;
  longer.steps.push_back({std::move(name), std::move(key)});
  return longer;
}

ModuleInstance ModuleInstance::parent() const {
  ModuleInstance shorter = *this;
  if (!shorter.steps.empty()) shorter.steps.pop_back();
  return shorter;
}

ModulePath ModuleInstance::path() const {
  ModulePath path;
  path.names.reserve(steps.size());
  for (const ModuleStep& step : steps) path.names.push_back(step.name);
  return path;
}

bool ModuleInstance::is_instance_of(const ModulePath& path) const {
  return std::ranges::equal(steps, path.names, {}, &ModuleStep::name);
}

std::string ModuleInstance::to_string() const {
  std::string out;
  for (const ModuleStep& step : steps) {
    if (!out.empty()) out += '.';
    out += "module.";
    out += step.name;
    out += step.key.to_string();
  }
  return out;
}

std::strong_ordering ModuleInstance::operator<=>(const ModuleInstance& other) const {
  return by_length_then_steps(steps, other.steps);
}

ModuleInstance without_keys(const ModulePath& path) {
  ModuleInstance instance;
  instance.steps.reserve(path.names.size());
  for (const std::string& name : path.names) instance.steps.push_back({name, {}});
  return instance;
}

}  // namespace tofu::addrs
