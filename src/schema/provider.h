// What a provider offers: its own configuration, resource types, data sources,
// ephemeral resources and functions.
//
// A door: validation and planning ask for the schema of a provider and do not
// care whether it is built in, cached or told by a running plugin.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "schema/schema.h"
#include "syntax/function.h"

namespace tofu::schema {

struct ResourceSchema {
  Block block;
  std::uint64_t version = 0;
};

struct ProviderSchema {
  Block provider;
  Block provider_meta;
  std::map<std::string, ResourceSchema, std::less<>> resources;
  std::map<std::string, ResourceSchema, std::less<>> data_sources;
  std::map<std::string, ResourceSchema, std::less<>> ephemeral_resources;
  std::map<std::string, syntax::Function, std::less<>> functions;
};

class ProviderSchemas {
 public:
  virtual ~ProviderSchemas() = default;
  // By the provider's full address, such as terraform.io/builtin/terraform. Null
  // if it is not available; whoever asks reports that once per provider.
  virtual const ProviderSchema* find(const std::string& provider) const = 0;
};

// The provider that is part of this program: terraform_data,
// terraform_remote_state and three functions.
const ProviderSchema& builtin_terraform();
// A door behind which there is only that one.
const ProviderSchemas& builtin_schemas();

}  // namespace tofu::schema
