// Information about a provider's types for calls, computed once for all its instances.
//
// Every call needs the type of an object, and deriving it from a schema takes longer than the rest
// of the call.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "providers/plugin_schema.h"
#include "schema/selection.h"
#include "value/type.h"

namespace tofu::providers {

enum class TypeOf : std::uint8_t { Resource, Data, Ephemeral };

struct PluginType {
  value::Type object;
  std::uint64_t version = 0;
  std::optional<value::Type> identity = {};
  schema::Selection write_only = {};
};

class PluginTypes {
 public:
  explicit PluginTypes(std::shared_ptr<const PluginSchema> schema);

  const PluginSchema& schema() const { return *schema_; }
  value::Type provider() const { return provider_; }
  // Absent if there is none.
  const std::optional<value::Type>& provider_meta() const { return provider_meta_; }
  // Null if the provider has no such type.
  const PluginType* find(TypeOf of, const std::string& type) const;

 private:
  std::shared_ptr<const PluginSchema> schema_;
  value::Type provider_;
  std::optional<value::Type> provider_meta_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<TypeOf, std::string>, PluginType> types_;
};

}  // namespace tofu::providers
