#include <algorithm>

#include "addrs/parse.h"
#include "base/overloaded.h"

namespace tofu::addrs {

namespace {

// A module instance without a key at its end selects all instances of the call,
// but the steps before it have to agree to the letter.
bool module_contains(const ModuleInstance& outer, const ModuleInstance& inner) {
  if (inner.steps.size() < outer.steps.size()) return false;
  for (std::size_t i = 0; i < outer.steps.size(); ++i) {
    const ModuleStep& ours = outer.steps[i];
    const ModuleStep& theirs = inner.steps[i];
    if (ours.name != theirs.name) return false;
    if (i + 1 == outer.steps.size() && ours.key.is_none()) return true;
    if (ours.key != theirs.key) return false;
  }
  return true;
}

bool module_contains(const ModuleInstance& outer, const ModulePath& inner) {
  if (inner.names.size() < outer.steps.size()) return false;
  for (std::size_t i = 0; i < outer.steps.size(); ++i) {
    if (!outer.steps[i].key.is_none() || outer.steps[i].name != inner.names[i]) return false;
  }
  return true;
}

bool same_without_keys(const ModuleInstance& outer, const ModulePath& inner) {
  return outer.steps.size() == inner.names.size() && module_contains(outer, inner);
}

}  // namespace

bool target_contains(const Target& outer, const Target& inner) {
  return std::visit(
      base::Overloaded{
          [](const ModuleInstance& o, const ModuleInstance& i) { return module_contains(o, i); },
          [](const ModuleInstance& o, const AbsResource& i) {
            return module_contains(o, i.module);
          },
          [](const ModuleInstance& o, const AbsResourceInstance& i) {
            return module_contains(o, i.module);
          },
          [](const AbsResource& o, const AbsResource& i) { return o == i; },
          [](const AbsResource& o, const AbsResourceInstance& i) { return o == resource_of(i); },
          [](const AbsResourceInstance& o, const AbsResourceInstance& i) { return o == i; },
          [](const AbsResourceInstance& o, const AbsResource& i) {
            return o.object.key.is_none() && resource_of(o) == i;
          },
          [](const AbsResource&, const ModuleInstance&) { return false; },
          [](const AbsResourceInstance&, const ModuleInstance&) { return false; },
      },
      outer, inner);
}

bool target_contains(const Target& outer, const ConfigResource& inner) {
  return std::visit(
      base::Overloaded{
          [&](const ModuleInstance& o) { return module_contains(o, inner.module); },
          [&](const AbsResource& o) {
            return same_without_keys(o.module, inner.module) && o.object == inner.object;
          },
          [&](const AbsResourceInstance& o) {
            return o.object.key.is_none() && same_without_keys(o.module, inner.module) &&
                   o.object.resource == inner.object;
          },
      },
      outer);
}

bool target_contains(const Target& outer, const ModulePath& inner) {
  const auto* module = std::get_if<ModuleInstance>(&outer);
  return module != nullptr && module_contains(*module, inner);
}

}  // namespace tofu::addrs
