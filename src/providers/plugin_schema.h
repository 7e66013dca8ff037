// The schema of a provider, from what its plugin says of itself.
//
// The answer is kept as the bytes it came in, and a type's schema is decoded when it is first used.
// Nothing in it is trusted: what makes no sense is a problem that names the provider, and the type
// it is in is as if it were empty.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "providers/provider.h"
#include "schema/provider.h"

namespace tofu::providers {

// A plugin's schema response, as bytes. The cache has the same bytes.
struct SchemaBytes {
  int protocol = 0;
  std::string_view schema;            // the answer of GetProviderSchema
  std::string_view identities;        // the answer of GetResourceIdentitySchemas; may be empty
  std::shared_ptr<const void> owner;  // of the bytes
};

SchemaBytes own_schema(int protocol, std::string schema, std::string identities);

struct PluginSchema {
  schema::ProviderSchema schema;  // its functions have no bodies yet: call_functions()
  Capabilities capabilities = {};
  bool schema_is_optional = false;  // not needed from other processes
  int protocol = 0;
};

// `problems` gets the plugin's own and ours.
// Types are not looked at: see check_schema(). Null after errors.
std::shared_ptr<PluginSchema> read_schema(SchemaBytes bytes, std::vector<Problem>& problems);

// Decodes everything and returns the errors.
std::vector<Problem> check_schema(const SchemaBytes& bytes);

// One function, of GetProviderSchema or GetFunctions: a FunctionEntry.
bool read_function(std::string_view entry, schema::ProviderSchema& into);

}  // namespace tofu::providers
