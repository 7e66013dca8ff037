// The schemas of a provider: its own configuration, resource types, data sources, ephemeral
// resources and functions.
//
// An interface: validation and planning use the schema of a provider, which may be built in, cached
// or returned by a plugin.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"
#include "syntax/function.h"

namespace tofu::schema {

// The identity of a resource beside its id.
struct IdentityAttribute {
  std::string name;
  value::Type type;
  std::string description = {};
  bool required_for_import = false;
  bool optional_for_import = false;
};
struct IdentitySchema {
  std::vector<IdentityAttribute> attributes;  // sorted by name
  std::uint64_t version = 0;

  value::Type type() const;
  // The type of the identity in an import block.
  value::Type import_type() const;
};

struct ResourceSchema {
  Block block;
  std::uint64_t version = 0;
  std::shared_ptr<const IdentitySchema> identity = {};  // null: none. Shared: copied as values
};

// Schemas by the name of their type: a map whose parts are created at first use. A large provider
// has a thousand types, and a configuration uses ten of them.
//
// Threads: reading, any. Iterators and references stay valid.
class TypeSchemas {
 public:
  using Map = std::map<std::string, ResourceSchema, std::less<>>;
  using const_iterator = Map::const_iterator;

  // Makes schemas that are not there yet.
  class Maker {
   public:
    virtual ~Maker() = default;
    virtual ResourceSchema make(const std::string& type) const = 0;
  };

  TypeSchemas() = default;
  TypeSchemas(const TypeSchemas& other);
  TypeSchemas& operator=(const TypeSchemas& other);

  // Announces types whose schemas find() creates with `maker`.
  void announce(std::vector<std::string> types, std::shared_ptr<const Maker> maker);

  ResourceSchema& operator[](const std::string& type) { return made_[type]; }
  void emplace(std::string type, ResourceSchema schema);
  void insert_or_assign(std::string type, ResourceSchema schema);

  const_iterator find(std::string_view type) const;
  const ResourceSchema& at(std::string_view type) const;
  const_iterator end() const { return made_.end(); }
  const_iterator begin() const;  // makes all that are missing
  std::size_t size() const;
  // All types, sorted, without making anything.
  std::vector<std::string_view> names() const;

 private:
  mutable std::mutex mutex_;  // for what follows, if there is a maker
  mutable Map made_;
  mutable std::set<std::string, std::less<>> missing_;
  std::shared_ptr<const Maker> maker_;
};

struct ProviderSchema {
  Block provider;
  Block provider_meta;
  bool has_provider_meta = false;
  TypeSchemas resources;
  TypeSchemas data_sources;
  TypeSchemas ephemeral_resources;
  std::map<std::string, syntax::Function, std::less<>> functions;
  // The long descriptions of functions.
  std::map<std::string, std::string, std::less<>> function_details;
};

class ProviderSchemas {
 public:
  virtual ~ProviderSchemas() = default;
  // By the provider's full address, such as terraform.io/builtin/terraform. Null if it is not
  // available; the caller reports that once per provider.
  virtual const ProviderSchema* find(const std::string& provider) const = 0;
};

// The provider that is part of this program: terraform_data,
// terraform_remote_state and three functions.
const ProviderSchema& builtin_terraform();
// An implementation with only that provider.
const ProviderSchemas& builtin_schemas();

}  // namespace tofu::schema
