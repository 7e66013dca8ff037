// All plugins of a run: started when they are needed, side by side, and ended with it.
//
// A process that was only asked for its schema, or to validate something, is used again
// for the next who needs one; one that was configured belongs to that configuration.
//
// Threads: any, after load().
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "diag/diagnostic.h"
#include "providers/io_loop.h"
#include "providers/plugin.h"
#include "providers/plugin_types.h"
#include "providers/provider.h"
#include "providers/schema_cache.h"
#include "schema/provider.h"

namespace tofu::providers {

// A provider that is there.
struct PluginPackage {
  addrs::Provider provider;
  PluginPlace place;
  std::string schema_key = {};  // what its schema is kept by; empty: it is asked each time
};

class PluginSource {
 public:
  // `version` is what plugins are told that we are.
  PluginSource(PluginSettings settings, std::string schema_directory, std::string version);
  PluginSource(const PluginSource&) = delete;
  PluginSource& operator=(const PluginSource&) = delete;
  ~PluginSource();  // ends all processes; what is open is closed before

  // Learns the schemas of these. False if and only if an error was added.
  bool load(std::span<const PluginPackage> packages, diag::Diagnostics& diags);
  bool has(const addrs::Provider& provider) const;
  // Null if it was not loaded.
  const schema::ProviderSchema* schema(const std::string& provider) const;
  // Starts a process that is going to be needed.
  void start(const addrs::Provider& provider);
  // An instance of a provider that was loaded.
  std::unique_ptr<Provider> open(const addrs::Provider& provider);

 private:
  struct Known;
  struct Loading;

  Plugin& make_plugin(const PluginPlace& place, bool asks_schema);
  bool make_identity(diag::Diagnostics& diags);
  void ask_schemas(std::vector<Loading>& loading);
  bool finish(Loading& loading, diag::Diagnostics& diags);
  bool know(const PluginPackage& package, SchemaBytes bytes, std::vector<Problem>& problems);
  void add_functions(Known& known);
  Provider& for_functions(Known& known);
  Plugin& take(Known& known);
  void release(Known& known, Plugin& plugin, bool was_configured);

  PluginSettings settings_;
  SchemaCache cache_;
  std::string version_;
  std::shared_ptr<const TlsIdentity> identity_;
  std::map<std::string, std::unique_ptr<Known>, std::less<>> known_;

  std::mutex mutex_;  // for what follows, and what Known says
  std::vector<std::unique_ptr<Plugin>> plugins_;
  // Last, so that it ends first. Made with the first process.
  std::unique_ptr<IoLoop> loop_;
};

}  // namespace tofu::providers
