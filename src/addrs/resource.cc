#include "addrs/resource.h"

#include <utility>

#include "base/check.h"

namespace tofu::addrs {

std::string_view block_word(ResourceMode mode) {
  switch (mode) {
    case ResourceMode::Ephemeral: return "ephemeral";
    case ResourceMode::Data: return "data";
    case ResourceMode::Managed: return "resource";
  }
  base::broken_promise("resource mode out of range");
}

std::string_view Resource::implied_provider() const {
  return std::string_view(type).substr(0, type.find('_'));
}

std::string Resource::to_string() const {
  std::string out;
  out.reserve(block_word(ResourceMode::Ephemeral).size() + type.size() + name.size() + 2);
  append_to(out);
  return out;
}

void Resource::append_to(std::string& text) const {
  if (mode != ResourceMode::Managed) text.append(block_word(mode)).append(".");
  text.append(type).append(".").append(name);
}

AbsResource resource_of(const AbsResourceInstance& instance) {
  return {instance.module, instance.object.resource};
}

AbsResourceInstance instance_of(const AbsResource& resource, InstanceKey key) {
  return {resource.module, {resource.object, std::move(key)}};
}

ConfigResource config_of(const AbsResource& resource) {
  return {resource.module.path(), resource.object};
}

ConfigResource config_of(const AbsResourceInstance& instance) {
  return {instance.module.path(), instance.object.resource};
}

}  // namespace tofu::addrs
