// All plugins of a run: started when they are needed, side by side, and ended with it.
//
// A process that only returned its schema or validated something is reused for the next caller; one
// that was configured belongs to that configuration.
//
// Threads: any, for everything. loaded providers may be used while load() runs.
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
  PluginSpec place;
  std::string schema_key = {};  // what its schema is kept by; empty: it is called each time
};

class PluginSource {
 public:
  // `version` is our version, as sent to plugins.
  PluginSource(PluginSettings settings, std::string schema_directory, std::string version);
  PluginSource(const PluginSource&) = delete;
  PluginSource& operator=(const PluginSource&) = delete;
  ~PluginSource();  // ends all processes; close all providers before

  // Learns the schemas of these.
  diag::Checked<void> load(std::span<const PluginPackage> packages, diag::Diagnostics& diags);
  bool has(const addrs::Provider& provider) const;
  // Null if it was not loaded.
  const schema::ProviderSchema* schema(const std::string& provider) const;
  // Starts a process before it is needed.
  void start(const addrs::Provider& provider);
  // An instance of a provider that was loaded.
  std::unique_ptr<Provider> open(const addrs::Provider& provider);

 private:
  struct Known;
  struct Loading;

  Plugin& make_plugin(const PluginSpec& place, bool asks_schema);  // with mutex_ held
  Known* find(const std::string& provider) const;                  // null if it was not loaded
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
  std::mutex load_mutex_;  // one load() at a time

  mutable std::mutex mutex_;  // for what follows, and what Known says
  std::shared_ptr<const TlsIdentity> identity_;
  // Entries stay as long as this does.
  std::map<std::string, std::unique_ptr<Known>, std::less<>> known_;
  std::vector<std::unique_ptr<Plugin>> plugins_;
  // Last, so that it ends first. Made with the first process.
  std::unique_ptr<IoLoop> loop_;
};

}  // namespace tofu::providers
