// A cache of provider schemas on disk, so that each plugin is queried only once.
//
// Kept by what identifies a provider's package, its hash, as the bytes that the plugin
// answered with: the file is mapped, and only the types that are used are decoded. A file
// that does not fit, or that has changed since it was written, is ignored and replaced. Nothing
// in it is secret.
#pragma once

#include <optional>
#include <string>

#include "providers/plugin_schema.h"

namespace tofu::providers {

class SchemaCache {
 public:
  // Without a directory nothing is kept.
  explicit SchemaCache(std::string directory) : directory_(std::move(directory)) {}

  // `key` is any text; empty: a schema that is not kept.
  std::optional<SchemaBytes> find(const std::string& key) const;
  // A cache that cannot be written is no cache, and nothing worse.
  void keep(const std::string& key, const SchemaBytes& schema) const;

 private:
  std::string path_of(const std::string& key) const;

  std::string directory_;
};

}  // namespace tofu::providers
