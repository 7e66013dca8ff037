// Resources and their instances: inside their module, in the configuration, and
// absolutely.
//
// Resources order by mode (ephemeral, data, managed), then type, then name.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "addrs/instance_key.h"
#include "addrs/module.h"

namespace tofu::addrs {

enum class ResourceMode : std::uint8_t { Ephemeral, Data, Managed };  // in this order

// The word a block of this mode begins with: resource, data, ephemeral.
std::string_view block_word(ResourceMode mode);

struct Resource {
  ResourceMode mode = ResourceMode::Managed;
  std::string type;
  std::string name;

  // The local name of the provider unless the configuration names another.
  std::string_view implied_provider() const;
  std::string to_string() const;  // aws_x.y, data.aws_x.y, ephemeral.aws_x.y
  void append_to(std::string& text) const;
  auto operator<=>(const Resource&) const = default;
};

struct ResourceInstance {
  Resource resource;
  InstanceKey key = {};

  std::string to_string() const { return resource.to_string() + key.to_string(); }
  auto operator<=>(const ResourceInstance&) const = default;
};

using ConfigResource = InPath<Resource>;
using AbsResource = Absolute<Resource>;
using AbsResourceInstance = Absolute<ResourceInstance>;

AbsResource resource_of(const AbsResourceInstance& instance);
AbsResourceInstance instance_of(const AbsResource& resource, InstanceKey key);
ConfigResource config_of(const AbsResource& resource);
ConfigResource config_of(const AbsResourceInstance& instance);

}  // namespace tofu::addrs
